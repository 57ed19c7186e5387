/** Where commented lines are after a push: moved with their text, or gone, which makes a comment outdated. */
import type { Hub } from '../hub.ts';
import type { ReviewComment, Thread } from '../state.ts';
import { commentsOf } from './comments.ts';

/** Moves the comments of a pull request from its head to a new one. Lines of the base stay: the base does not move here. */
export async function followLines(hub: Hub, thread: Thread, newHead: string): Promise<void> {
  const { pull } = thread;
  if (pull === null) return;
  const placed = commentsOf(hub.state.reviewComments, thread.number).filter(
    ({ side, currentLine }) => side === 'RIGHT' && currentLine !== null,
  );
  for (const path of new Set(placed.map((comment) => comment.path))) {
    const diff = await hub.git.line('diff', '--no-color', '--no-ext-diff', '-U0', pull.headSha, newHead, '--', path);
    for (const comment of placed.filter((candidate) => candidate.path === path)) move(comment, readEdits(diff));
  }
}

interface Edit {
  readonly at: number;
  readonly removed: number;
  readonly added: number;
}

function readEdits(diff: string): readonly Edit[] {
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/gm)].map(([, at, removed = '1', added = '1']) => {
    // Of an insertion git names the line before it.
    return { at: Number(at) + (removed === '0' ? 1 : 0), removed: Number(removed), added: Number(added) };
  });
}

function move(comment: ReviewComment, edits: readonly Edit[]): void {
  const line = comment.currentLine ?? 0;
  const isChanged = edits.some(({ at, removed }) => line >= at && line < at + removed);
  const shift = edits.filter(({ at }) => at <= line).reduce((sum, { added, removed }) => sum + added - removed, 0);
  comment.currentLine = isChanged ? null : line + shift;
}
