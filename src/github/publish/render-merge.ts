// What is said of a merge with the base, where it was pushed and where it was not; pure.
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { count } from './figures.ts';
import { inlineCode } from './inline-code.ts';
import { whyNoWorkflows } from './without-refused.ts';

/** More are counted. */
const maxNamed = 10;

/** What was merged, what was resolved in it, and what stands as git left it; none where nothing was merged. */
export function noteMerged(plan: Pick<RunPlan, 'base'>, { merge, changes }: Bundle): string[] {
  if (merge === undefined) return [];
  const changed = new Set(changes.map(({ path }) => path));
  const isTouched = ({ path }: { readonly path: string }) => changed.has(path);
  const resolved = merge.conflicts.filter(isTouched);
  const asTheyAre = merge.conflicts.filter((conflict) => !isTouched(conflict));
  const what = merge.conflicts.length === 0 ? 'there were no conflicts' : `resolved: ${listed(resolved.map(({ path }) => path))}`;
  return [
    `Merged ${toName(plan)} into this branch; ${what}.`,
    ...asTheyAre.map(
      ({ path, what: words }) => `Look at ${inlineCode(path)}, which stands as git left it: ${inlineCode(words, 300)}.`,
    ),
  ];
}

/** Where GitHub took no branch. */
export function noteNotMerged(plan: Pick<RunPlan, 'base'>, { merge }: Bundle): string[] {
  if (merge === undefined) return [];
  return [
    `The merge of ${toName(plan)} is not pushed; the diff holds what was done on top of it. If the base brings workflow files: ${whyNoWorkflows}.`,
  ];
}

function toName({ base }: Pick<RunPlan, 'base'>): string {
  return `${inlineCode(base.branch)} (${base.sha.slice(0, 7)})`;
}

function listed(paths: readonly string[]): string {
  if (paths.length === 0) return 'nothing by hand';
  const more = paths.length - maxNamed;
  return [...paths.slice(0, maxNamed).map((path) => inlineCode(path)), ...(more > 0 ? [count(more, 'other file')] : [])].join(
    ', ',
  );
}
