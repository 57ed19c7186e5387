// What the model is told when a rule keeps a call from running: the rule as it was written, the part that it is about, and what to do instead.
import type { ToolCall } from '../../schema/message.ts';
import { oneLine } from '../../schema/one-line.ts';
import type { Hit, Part } from './judge-command.ts';
import { isAboutTool, nameOf, type Rule } from './rule.ts';
import type { PermissionRules } from './rules.ts';

const maxPartChars = 300;
/** Of rules in one text. */
const maxRules = 20;

export function describeHit(call: ToolCall, { rule, text, why }: Hit): string {
  const part = quote(text);
  if (why !== undefined) {
    return `"${call.name}" was not run: the rule ${nameOf(rule)} denies, and ${part} may be what it denies: ${why}. Write it so that it can be seen what runs, or do without it.`;
  }
  return `"${call.name}" was not run: ${part} is denied by the rule ${nameOf(rule)}. Do the rest without it, and do not try to get the same in another way; if the task needs it, say so in your answer.`;
}

export function describeWhole(call: ToolCall, rule: Rule): string {
  return `"${call.name}" was not run: the tool is denied by the rule ${nameOf(rule)}. Do the task without it, and say in your answer what is left to be done.`;
}

export function describeUnreadable(call: ToolCall, { text, why }: Part): string {
  return `"${call.name}" was not run: there are rules for what commands do, and they cannot be sure what ${quote(text)} is to bash: ${why ?? 'it is not clear'}. Write it in a plainer way, or as several calls.`;
}

export function describeMissing(call: ToolCall, argument: string): string {
  return `"${call.name}" was not run: there are rules for its argument ${argument}, and the call has no such text. Send the call again with it.`;
}

/** `part`: of a command, what no rule covers. */
export function describeNotAllowed(call: ToolCall, { rules, onlyAllowed }: PermissionRules, part: Part | undefined): string {
  const allowed = rules.filter((rule) => rule.effect === 'allow' && isAboutTool(rule, call.name)).map(({ text }) => text);
  const what = part === undefined ? 'the call' : quote(part.text);
  const why = part?.why === undefined ? '' : ` (${part.why})`;
  const list =
    allowed.length === 0
      ? `Nothing of "${call.name}" is on it.`
      : `Of "${call.name}" these are on it: ${oneLine(allowed.slice(0, maxRules).join(', '), 2_000)}${allowed.length > maxRules ? ', …' : ''}.`;
  return `"${call.name}" was not run: there is a list of all that may run (${onlyAllowed ?? 'the rules'}), and nothing on it covers ${what}${why}. ${list} Use what is on it, written as it stands there, and say in your answer what could not be done.`;
}

function quote(text: string): string {
  return `\`${oneLine(text, maxPartChars)}\``;
}
