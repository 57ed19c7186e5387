// Owns what a run is told of the base that was merged into its files. Pure.
import { oneLine } from '../schema/one-line.ts';
import type { Task } from '../schema/task.ts';

/** More than these are counted; searching for the marks finds them. */
const maxNamed = 100;

/** One section; none where nothing was to be merged. */
export function renderMerge({ merge }: Task): readonly string[] {
  if (merge === undefined) return [];
  const { conflicts, why } = merge;
  const branch = toName(merge.branch);
  if (why !== null)
    return [`The base branch ${branch} is not merged into these files (${toName(why)}), and no merge commit can be made here.`];
  const ends = `When you are done the files are committed as the merge of ${branch}; do not use git for it, and make no merge yourself.`;
  if (conflicts.length === 0)
    return [`The base branch ${branch} is merged into these files already, without a conflict. ${ends}`];
  const listed = conflicts
    .slice(0, maxNamed)
    .map(({ path, what, marks }) => `- ${toName(path)}: ${toName(what)}${marks.length > 0 ? ' [marks]' : ''}`);
  const more = conflicts.length > maxNamed ? [`- and ${conflicts.length - maxNamed} more`] : [];
  return [
    [
      `The base branch ${branch} is merged into these files already (HEAD is the pull request’s side), with conflicts in:`,
      ...listed,
      ...more,
      'Resolve each so that what both sides wanted is kept. Where [marks] stands, edit until no line with <<<<<<<, ||||||| , ======= or >>>>>>> of the merge is left: otherwise nothing is published. Elsewhere decide which version stays, and write or delete the file where it is not the one that lies there.',
      ends,
    ].join('\n'),
  ];
}

/** Paths, and git's words about them, are data: one line, no marks of ours. */
function toName(text: string): string {
  return oneLine(text.replaceAll(/[<>]+/g, ' '), 300);
}
