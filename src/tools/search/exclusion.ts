// What a search must not see: patterns of its caller, and those of the rules that keep files from being read. Pure.
import { parseGlob } from './glob-pattern.ts';

/** Whether a file or folder is left out, by its path in the workspace; its parents are known not to be. */
export type Exclusion = (path: string) => boolean;

/** Patterns relative to the workspace, each of which stands for all that is in a folder, too; a text instead says what is wrong with one. */
export function parseExclusion(patterns: readonly string[]): Exclusion | string {
  const globs = patterns.map((pattern) => ({ pattern, glob: parseGlob(pattern.replace(/\/+$/, '')) }));
  for (const { pattern, glob } of globs) {
    if (glob.kind === 'broken') return `${JSON.stringify(pattern)} in exclude cannot be used: ${glob.problem}.`;
  }
  const matchers = globs.flatMap(({ glob }) => (glob.kind === 'glob' ? [glob.matches] : []));
  return (path) => matchers.some((matches) => matches(path));
}

/** Whether the path, or a folder that it is in, is left out. */
export function isExcludedWithin(path: string, isExcluded: Exclusion): boolean {
  const names = path.split('/');
  return names.some((_name, at) => isExcluded(names.slice(0, at + 1).join('/')));
}
