// One case that went wrong, as text for whoever mends it.
import type { EditCase } from './generate.ts';
import type { Verdict } from './judge.ts';
import { changedSpan } from './judge.ts';

const AROUND = 80;

/** The case's name, both strings, what would be right and what came out. */
export function showCase(one: EditCase, verdict: Verdict): string {
  const wanted = one.accept.map((text) => showChange(one.content, text));
  return [
    `=== ${one.id} (${one.src}): ${verdict.result}${verdict.fault === undefined ? '' : `, ${verdict.fault}`}`,
    `--- old_string${one.replaceAll === true ? ' (replace_all)' : ''}\n${one.old}`,
    `--- new_string\n${one.new}`,
    `--- right: ${one.expect}\n${[...(one.expect === 'apply' ? [] : ['(refuse)']), ...wanted].join('\n--- or\n')}`,
    `--- came out\n${verdict.out === null ? '(refused)' : showChange(one.content, verdict.out)}`,
  ].join('\n');
}

/** The lines around a change; what was there, and what is there now. */
function showChange(before: string, after: string): string {
  const { from, to } = changedSpan(before, after);
  const end = after.length - (before.length - to);
  const [lead, rest] = [before.slice(Math.max(0, from - AROUND), from), before.slice(to, to + AROUND)];
  return `${lead}[[${before.slice(from, to)}]=>[${after.slice(from, end)}]]${rest}`;
}
