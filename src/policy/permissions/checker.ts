// The permission checker: what the rules say of one call. The strictest match wins, whatever the order of the rules: deny, ask, allow, none.
import type { ToolCall, ToolDefinition } from '../../schema/message.ts';
import type { CallContext } from '../../schema/model-call.ts';
import type { PermissionDecision } from '../../schema/permission.ts';
import { type CallSubject, readSubject } from './call-subject.ts';
import { denyHit, denyMissing, denyNotAllowed, denyUnreadable, denyWhole } from './denial.ts';
import { type Coverage, findCoverage, findHit, findUnreadable, type Hit } from './judge-command.ts';
import { type PathParts, possiblyMatchesPath, surelyMatchesPath } from './path-subject.ts';
import { isAboutTool, nameOf, type Rule, redirectTools } from './rule.ts';
import type { Effect } from './rule-entries.ts';
import { isOwnTool, type PermissionRules } from './rules.ts';
import { matchesGlob } from './text-glob.ts';

export interface PermissionChecker {
  check(call: ToolCall, tool: ToolDefinition | undefined, context: CallContext): Promise<PermissionDecision>;
}

/** Judges calls by their names and arguments, which are the tools' own (`canonicalCall`). A path whose links cannot be followed is no known path. */
export function createPermissionChecker(rules: PermissionRules, parts: PathParts): PermissionChecker {
  return {
    check: async (call) => await judge(call, rules, parts),
  };
}

async function judge(call: ToolCall, rules: PermissionRules, parts: PathParts): Promise<PermissionDecision> {
  const about = rules.rules.filter((rule) => isAboutTool(rule, call.name));
  const isJudged = about.some((rule) => rule.about !== undefined) || mayRedirect(call, about, rules);
  const denied = about.find((rule) => rule.effect === 'deny' && rule.about === undefined);
  if (denied !== undefined) return denyWhole(call, denied);
  const subject: CallSubject = isJudged ? await readSubject(call, parts) : { kind: 'whole' };
  return decide({ call, rules, about, subject });
}

/** Whether a redirect of the call may be stricter judged than the call: it is a call of a file tool, whose rules hold for it. */
function mayRedirect({ name }: ToolCall, about: readonly Rule[], { rules }: PermissionRules): boolean {
  const isAsked = about.some((rule) => rule.effect === 'ask' && rule.about === undefined);
  const isStricter = ({ effect }: Rule): boolean => effect === 'deny' || (effect === 'ask' && !isAsked);
  return name === 'bash' && rules.some((rule) => isStricter(rule) && redirectTools.some((tool) => isAboutTool(rule, tool)));
}

/** The strictest of both: it allows nothing that one of them does not. */
export function narrow(first: PermissionChecker, second: PermissionChecker): PermissionChecker {
  return {
    check: async (call, tool, context) => {
      const one = await first.check(call, tool, context);
      if (one.kind === 'deny') return one;
      const other = await second.check(call, tool, context);
      return strictness.indexOf(other.kind) < strictness.indexOf(one.kind) ? other : one;
    },
  };
}

/** `none` leaves it to the plan mode, which `allow` does not. */
const strictness: readonly PermissionDecision['kind'][] = ['deny', 'ask', 'none', 'allow'];

/**
 * Whether a call is one that a matcher (`parseMatcher`) is about, or may be, as with a `deny` rule; a command that cannot be read may be. A
 * redirect is no call here: who asks for calls of `write_file` gets these.
 */
export function createCallMatcher(rules: PermissionRules, parts: PathParts): (call: ToolCall) => Promise<boolean> {
  const isAbout = (call: ToolCall): boolean => rules.rules.some((rule) => isAboutTool(rule, call.name));
  return async (call) => isAbout(call) && (await judge(call, rules, parts)).kind === 'deny';
}

interface Judged {
  readonly call: ToolCall;
  readonly rules: PermissionRules;
  /** The rules about the tool. */
  readonly about: readonly Rule[];
  readonly subject: CallSubject;
}

function decide(judged: Judged): PermissionDecision {
  const { call, rules, subject } = judged;
  if (subject.kind === 'missing') return denyMissing(call, subject.argument);
  const unreadable = subject.kind === 'command' ? findUnreadable(subject.steps) : undefined;
  if (unreadable !== undefined) return denyUnreadable(call, unreadable);
  const deny = hitOf(judged, 'deny');
  if (deny !== undefined) return denyHit(call, deny);
  const coverage = coverageOf(judged);
  if (!coverage.isCovered && rules.onlyAllowed !== undefined && !isOwnTool(rules, call.name)) {
    return denyNotAllowed(call, rules, coverage.part);
  }
  const ask = hitOf(judged, 'ask');
  if (ask !== undefined) return { kind: 'ask', rule: nameOf(ask.rule) };
  // Commands like `true` need no rule, so that none may have spoken.
  if (!coverage.isCovered || coverage.by.length === 0) return { kind: 'none' };
  return { kind: 'allow', rule: coverage.by.map(nameOf).join(', ') };
}

/** A rule of the effect that the call is one of, or may be. */
function hitOf({ call, rules, about, subject }: Judged, effect: Effect): Hit | undefined {
  const whole = about.find((rule) => rule.effect === effect && rule.about === undefined);
  if (whole !== undefined) return { rule: whole, text: call.name, why: undefined };
  switch (subject.kind) {
    case 'command':
      return findHit(
        subject.steps,
        subject.files,
        rules.rules.filter((rule) => rule.effect === effect),
      );
    case 'path':
    case 'name': {
      const rule = about.find((each) => each.effect === effect && concerns(each, subject, possiblyMatchesPath));
      return rule === undefined ? undefined : { rule, text: subject.text, why: undefined };
    }
    default:
      return undefined;
  }
}

function coverageOf({ rules, about, subject }: Judged): Coverage {
  const allowing = about.filter(({ effect }) => effect === 'allow');
  const whole = allowing.find((rule) => rule.about === undefined);
  if (whole !== undefined) return { isCovered: true, by: [whole] };
  switch (subject.kind) {
    case 'command': {
      const allowed = (tool: string) => rules.rules.filter((rule) => rule.effect === 'allow' && isAboutTool(rule, tool));
      return findCoverage(subject.steps, subject.files, {
        bash: allowing,
        read: allowed('read_file'),
        write: allowed('write_file'),
      });
    }
    case 'path':
    case 'name': {
      const rule = allowing.find((each) => concerns(each, subject, surelyMatchesPath));
      return rule === undefined
        ? { isCovered: false, part: { text: subject.text, why: undefined } }
        : { isCovered: true, by: [rule] };
    }
    default:
      return { isCovered: false, part: undefined };
  }
}

type PlainSubject = Extract<CallSubject, { readonly kind: 'path' | 'name' }>;

/** `matchesPath`: possibly or surely. A name is what it is. */
function concerns({ about }: Rule, subject: PlainSubject, matchesPath: typeof surelyMatchesPath): boolean {
  if (about?.kind === 'path' && subject.kind === 'path') return matchesPath(about.pattern, subject.path);
  return about?.kind === 'name' && subject.kind === 'name' && matchesGlob(about.glob, subject.name);
}
