// The permission rules of a run: from settings or trusted files to what the engine asks, what is offered, and what a sub-agent is held to.
import type { AgentDefinition } from '../agents/definition.ts';
import type { PermissionChecker } from '../engine/ports.ts';
import { createCallMatcher, createPermissionChecker, narrow } from '../policy/permissions/checker.ts';
import {
  findIdle,
  hiddenFrom,
  isEmpty,
  mayEver,
  parseMatcher,
  parsePermissionRules,
  parseToolLists,
  type RuleNaming,
} from '../policy/permissions/rules.ts';
import type { ToolCall } from '../schema/message.ts';
import { resolveLinks } from '../tools/safe-path.ts';
import type { EdgeParts } from './edge-parts.ts';
import { toolName } from './guidance.ts';
import type { SearchTool } from './hidden-files.ts';
import type { NameableTools } from './mcp.ts';
import { loadConfigText } from './trusted-config.ts';

type ToolLists = Pick<AgentDefinition, 'name' | 'tools' | 'disallowedTools'>;

/** What calls are held to. */
export interface Held {
  /** Undefined: there are no rules. */
  readonly checker: PermissionChecker | undefined;
  /** Patterns of files that a search does not see. */
  hiddenFrom(tool: SearchTool): readonly string[];
}

export interface Permissions extends Held {
  /** Whether any call of the tool may run. */
  offers(tool: string): boolean;
  /** What a sub-agent is held to: the run's rules, and the lists of its definition. What the rules hide its parent's registry hides from it. */
  narrowedTo(agent: ToolLists): Held;
  /** Whether a pattern speaks of a call. Throws PERMISSION_RULES, naming `source`, for what is no pattern. */
  matcherOf(pattern: string, source: string): (call: ToolCall) => Promise<boolean>;
  /** Rules, and matchers that were asked for, which are about no call of a run with these tools of servers. */
  warnings(ofServers: NameableTools): readonly string[];
}

const sayNothing: PermissionChecker = { check: async () => ({ kind: 'none' }) };

/** Throws PERMISSION_RULES or CONFIG_UNREADABLE: rules that cannot be read are not done without. */
export async function composePermissions({
  settings,
  source,
  workDir,
  named,
}: Pick<EdgeParts, 'settings' | 'source' | 'workDir' | 'named'>): Promise<Permissions> {
  const { allowedTools, disallowedTools } = settings;
  const permissionRules = await loadConfigText('permission_rules', settings.permissionRules, source);
  const naming: RuleNaming = { toolName, workDir, sourceOf: (input) => sourceOf(input, { settings, source }) };
  const rules = parsePermissionRules({ allowedTools, disallowedTools, permissionRules }, naming);
  // The tools' own answer, so that what is judged is what is read or written.
  const paths = { workDir, realPath: async (absolute: string) => resolveLinks(absolute, absolute) };
  const checker = isEmpty(rules) ? undefined : createPermissionChecker(rules, paths);
  const spoken = [...rules.rules];
  return {
    checker,
    offers: (tool) => mayEver(rules, tool),
    hiddenFrom: (tool) => hiddenFrom(rules, tool),
    narrowedTo: ({ name, ...lists }) => {
      const own = parseToolLists(lists, `the definition of the sub-agent ${name}`, naming);
      return {
        // What its own list allows is no yes: a definition takes away, and grants nothing.
        checker: isEmpty(own) ? checker : narrow(checker ?? sayNothing, createPermissionChecker(own, paths)),
        hiddenFrom: (tool) => hiddenFrom(own, tool),
      };
    },
    matcherOf: (pattern, name) => {
      const matcher = parseMatcher(pattern, name, naming);
      spoken.push(...matcher.rules);
      return createCallMatcher(matcher, paths);
    },
    warnings: (ofServers) => findIdle(spoken, { ...ofServers, named: named ?? {} }),
  };
}

/** The file where the rules stand, or how the setting is called. */
function sourceOf(input: string, { settings, source }: Pick<EdgeParts, 'settings' | 'source'>): string {
  const file = input === 'permission_rules' ? settings.permissionRules : null;
  return file !== null && source.isPath(file) ? file : source.nameOf(input);
}
