// What the model is told when a rule keeps a call from running: the rule as it was written, the part that it is about, and what to do instead.
// People are told whose word it was.
import type { ToolCall } from '../../schema/message.ts';
import { oneLine } from '../../schema/one-line.ts';
import type { PermissionDecision } from '../../schema/permission.ts';
import type { Hit, Part } from './judge-command.ts';
import { isAboutTool, markedNameOf, nameOf, type Rule } from './rule.ts';
import type { PermissionRules } from './rules.ts';

const maxPartChars = 300;
/** Of rules in one text. */
const maxRules = 20;

type Denied = Extract<PermissionDecision, { readonly kind: 'deny' }>;

export function denyHit(call: ToolCall, { rule, text, why }: Hit): Denied {
  const part = quote(text);
  const said =
    why === undefined
      ? `${part} is denied by the rule ${nameOf(rule)}. Do the rest without it, and do not try to get the same in another way; if the task needs it, say so in your answer.`
      : `the rule ${nameOf(rule)} denies, and ${part} may be what it denies: ${why}. Write it so that it can be seen what runs, or do without it.`;
  return denied(call, said, byRule(rule));
}

export function denyWhole(call: ToolCall, rule: Rule): Denied {
  const said = `the tool is denied by the rule ${nameOf(rule)}. Do the task without it, and say in your answer what is left to be done.`;
  return denied(call, said, byRule(rule));
}

export function denyUnreadable(call: ToolCall, { text, why }: Part): Denied {
  const said = `there are rules for what commands do, and they cannot be sure what ${quote(text)} is to bash: ${why ?? 'it is not clear'}. Write it in a plainer way, or as several calls.`;
  return denied(call, said, 'since the rules cannot be sure what it is to bash');
}

export function denyMissing(call: ToolCall, argument: string): Denied {
  const said = `there are rules for its argument ${argument}, and the call has no such text. Send the call again with it.`;
  return denied(call, said, `since it has no ${argument}, which rules are about`);
}

/** `part`: of a command, what no rule covers. */
export function denyNotAllowed(
  call: ToolCall,
  { rules, onlyAllowed = 'the rules' }: PermissionRules,
  part: Part | undefined,
): Denied {
  const allowed = rules.filter((rule) => rule.effect === 'allow' && isAboutTool(rule, call.name)).map(({ text }) => text);
  const what = part === undefined ? 'the call' : quote(part.text);
  const why = part?.why === undefined ? '' : ` (${part.why})`;
  const list =
    allowed.length === 0
      ? `Nothing of "${call.name}" is on it.`
      : `Of "${call.name}" these are on it: ${oneLine(allowed.slice(0, maxRules).join(', '), 2_000)}${allowed.length > maxRules ? ', …' : ''}.`;
  const said = `there is a list of all that may run (${onlyAllowed}), and nothing on it covers ${what}${why}. ${list} Use what is on it, written as it stands there, and say in your answer what could not be done.`;
  return denied(call, said, `since it is not on the list of all that may run (${onlyAllowed})`);
}

function denied({ name }: ToolCall, said: string, why: string): Denied {
  return { kind: 'deny', text: `"${name}" was not run: ${said}`, why };
}

function byRule(rule: Rule): string {
  return `by the rule ${markedNameOf(rule)}`;
}

function quote(text: string): string {
  return `\`${oneLine(text, maxPartChars)}\``;
}
