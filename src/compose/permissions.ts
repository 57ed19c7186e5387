// The permission rules of a run: from settings or trusted files to what the engine asks, what is offered, and what a sub-agent is held to.
import type { AgentDefinition } from '../agents/definition.ts';
import type { PermissionChecker } from '../engine/ports.ts';
import { createCallMatcher, createPermissionChecker, narrow } from '../policy/permissions/checker.ts';
import { findUnknownTools, isEmpty, mayEver, parsePermissionRules, parseToolLists } from '../policy/permissions/rules.ts';
import type { ToolCall, ToolDefinition } from '../schema/message.ts';
import type { EdgeParts } from './edge-parts.ts';
import { resolveRealPath } from './real-path.ts';
import { loadConfigText } from './trusted-config.ts';

export interface Permissions {
  /** Undefined: there are no rules. */
  readonly checker: PermissionChecker | undefined;
  /** Whether any call of the tool may run. */
  offers(tool: string): boolean;
  /** What a sub-agent is held to: the run's rules, and the lists of its definition. */
  narrowedTo(agent: Pick<AgentDefinition, 'name' | 'tools' | 'disallowedTools'>): PermissionChecker | undefined;
  /** Whether a pattern speaks of a call. Throws PERMISSION_RULES, naming `source`, for what is no pattern. */
  matcherOf(pattern: string, source: string): (call: ToolCall) => Promise<boolean>;
  /** Rules that are about no tool that there is. */
  warnings(tools: readonly ToolDefinition[]): readonly string[];
}

const sayNothing: PermissionChecker = { check: async () => ({ kind: 'none' }) };

/** Throws PERMISSION_RULES or CONFIG_UNREADABLE: rules that cannot be read are not done without. */
export async function composePermissions({ settings, source, workDir }: EdgeParts): Promise<Permissions> {
  const { allowedTools, disallowedTools } = settings;
  const permissionRules = await loadConfigText('permission_rules', settings.permissionRules, source);
  const rules = parsePermissionRules({ allowedTools, disallowedTools, permissionRules });
  const paths = { workDir, realPath: resolveRealPath };
  const checker = isEmpty(rules) ? undefined : createPermissionChecker(rules, paths);
  return {
    checker,
    offers: (tool) => mayEver(rules, tool),
    narrowedTo: ({ name, ...lists }) => {
      const own = parseToolLists(lists, `the definition of the sub-agent ${name}`);
      // What its own list allows is no yes: a definition takes away, and grants nothing.
      return isEmpty(own) ? checker : narrow(checker ?? sayNothing, createPermissionChecker(own, paths));
    },
    matcherOf: (pattern, name) => createCallMatcher(pattern, name, paths),
    warnings: (tools) => findUnknownTools(rules, tools),
  };
}
