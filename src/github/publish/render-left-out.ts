// What was changed and is not published, where nobody can overlook it; pure.
import type { Bundle } from '../../schema/bundle.ts';
import { count, renderNumber } from './figures.ts';
import { cutText, fencedCode, inlineCode } from './inline-code.ts';
import { joinBlocks } from './join-blocks.ts';

const maxNamed = 10;
const maxReasons = 5;
const maxReasonChars = 300;
const maxPatchChars = 4_000;

/** The names and the reasons, open to see, and under them the diff, folded. `where`: in which place the whole diff is, as Markdown. */
export function renderLeftOut(leftOut: Bundle['leftOut'], where: string): string {
  if (leftOut.length === 0) return '';
  const groups = [...Map.groupBy(leftOut, ({ reason }) => reason)];
  const more = groups.slice(maxReasons).reduce((sum, [, paths]) => sum + paths.length, 0);
  return joinBlocks([
    ...groups.slice(0, maxReasons).map(([reason, paths]) => renderGroup(reason, paths)),
    more === 0 ? '' : `**Not published:** ${count(more, 'other change')}.`,
    renderDiff(leftOut, where),
  ]);
}

function renderGroup(reason: string, left: Bundle['leftOut']): string {
  const named = left.slice(0, maxNamed).map(({ path }) => inlineCode(path));
  const more = left.length > maxNamed ? ` and ${renderNumber(left.length - maxNamed)} more` : '';
  const diff = left.some(({ patch }) => patch !== '') ? '; the diff is below' : '';
  return `**Not published:** ${named.join(', ')}${more}: ${plainReason(reason)}${diff}.`;
}

function renderDiff(leftOut: Bundle['leftOut'], where: string): string {
  const patches = leftOut.filter(({ patch }) => patch !== '');
  if (patches.length === 0) return '';
  const patch = patches.map((left) => left.patch).join('');
  const shown = patch.slice(0, patch.length <= maxPatchChars ? undefined : patch.lastIndexOf('\n', maxPatchChars) + 1);
  return joinBlocks([
    `<details><summary>The diff of what is not published (${count(patches.length, 'file')})</summary>`,
    shown === '' ? '' : fencedCode(shown, 'diff'),
    shown.length === patch.length ? '' : `_The rest of this diff is in ${where}._`,
    '</details>',
  ]);
}

/** Reasons are ours but may quote a name. */
function plainReason(reason: string): string {
  const line = cutText(reason.replace(/[\p{Cc}\s]+/gu, ' ').replace(/\.$/, ''), maxReasonChars);
  return line.replace(/[<>@#`[\]]/g, (sign) => `&#${sign.charCodeAt(0)};`).replaceAll('://', '&#58;//');
}
