// Diffs inside a reply: collapsed, fenced, and cut between files and hunks to what room there is (G1-10, G1-38). Pure.
import { count } from './figures.ts';
import { fencedCode } from './inline-code.ts';
import { joinBlocks } from './join-blocks.ts';

/** The wrapper's own characters and a note, on top of the diff. */
const wrapperChars = 400;

interface DiffBounds {
  readonly room: number;
  /** In which place the whole patch is, as Markdown. */
  readonly where: string;
  /** How a whole one is applied, as Markdown. */
  readonly apply?: string;
}

/** What the block begins with, by which it is found again. */
export function summaryOf(label: string): string {
  return `<details><summary>${label} (`;
}

/** A collapsed block with the patches, at most `room` characters long; empty when there is nothing, or no room for anything. */
export function renderDiffBlock(patches: readonly string[], label: string, bounds: DiffBounds): string {
  const { room, where, apply = '' } = bounds;
  const whole = patches.filter((patch) => patch !== '');
  if (whole.length === 0 || room < wrapperChars * 2 + apply.length) return '';
  const shown = cutPatches(whole, room - wrapperChars - apply.length - longestFence(whole) * 2);
  const missing = linesOf(whole.join('')) - linesOf(shown);
  const lost = `_${count(missing, 'line')} of this diff ${missing === 1 ? 'is' : 'are'} not shown; the whole patch is in ${where}._`;
  const below = missing === 0 ? apply : lost;
  if (shown === '') return below;
  const head = `${summaryOf(label)}${count(whole.length, 'file')}, ${stat(whole)})</summary>`;
  return joinBlocks([head, fencedCode(shown, 'diff'), below, '</details>']);
}

/** Whole files while they fit, then whole hunks of the next one. */
function cutPatches(patches: readonly string[], room: number): string {
  let text = '';
  for (const patch of patches) {
    if (text.length + patch.length <= room) {
      text += patch;
      continue;
    }
    return text + cutHunks(patch, room - text.length);
  }
  return text;
}

function cutHunks(patch: string, room: number): string {
  const [header = '', ...hunks] = patch.split(/^(?=@@ )/m);
  let text = header;
  for (const hunk of hunks) {
    if (text.length + hunk.length > room) break;
    text += hunk;
  }
  return text === header ? '' : text;
}

function stat(patches: readonly string[]): string {
  const lines = patches.flatMap((patch) => patch.split('\n'));
  const added = lines.filter((line) => line.startsWith('+') && !line.startsWith('+++ ')).length;
  const removed = lines.filter((line) => line.startsWith('-') && !line.startsWith('--- ')).length;
  return `+${added} −${removed}`;
}

function linesOf(text: string): number {
  return text === '' ? 0 : text.split('\n').length - 1;
}

function longestFence(patches: readonly string[]): number {
  return Math.max(0, ...patches.flatMap((patch) => [...patch.matchAll(/`+/g)].map((run) => run[0].length)));
}
