// What a command that failed printed last, folded, for whoever looks into the failure; pure. It is the workspace's text: code and nothing else.
import type { RunResult } from '../../schema/run.ts';
import { fencedCode } from './inline-code.ts';

/** As much as is read without opening the log. */
const maxChars = 6_000;

/** Empty when there is nothing. */
export function renderDetail({ error }: Pick<RunResult, 'error'>): string {
  const text = error?.detail?.trimEnd() ?? '';
  if (text === '') return '';
  const end = text.length <= maxChars ? text : `…${text.slice(-maxChars).replace(/^[\udc00-\udfff]/, '')}`;
  return ['<details><summary>What it printed</summary>', '', fencedCode(end, 'text'), '', '</details>'].join('\n');
}
