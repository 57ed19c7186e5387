// What a search must not see: patterns of its caller, and those of the rules that keep files from being read. Pure.
import path from 'node:path';
import { parseFileGlob } from '../../schema/file-glob.ts';
import { quote } from '../shown-path.ts';

/** Whether a file or folder is left out, by its path in the workspace; its parents are known not to be. What lies beside the workspace never is. */
export type Exclusion = (file: string) => boolean;

/** Of all of them together; each is asked about each file. */
const maxAlternatives = 5000;

/**
 * Patterns relative to the workspace, each of which stands for all that is in a folder, too; a text instead says what is wrong with one. Capitals
 * do not count, as in rules that deny.
 */
export function parseExclusion(patterns: readonly string[]): Exclusion | string {
  const matchers: Exclusion[] = [];
  let alternatives = 0;
  for (const pattern of patterns) {
    const glob = parseFileGlob(pattern.replace(/\/+$/, ''));
    if (pattern.startsWith('!')) return cannotBeUsed(pattern, 'it says what to leave out, without ! in front');
    if (glob.kind === 'broken') return cannotBeUsed(pattern, glob.problem);
    alternatives += glob.alternatives;
    if (alternatives > maxAlternatives) return `exclude and the permission rules make more than ${maxAlternatives} patterns.`;
    matchers.push(glob.mayMatch);
  }
  return (file) => !path.isAbsolute(file) && matchers.some((matches) => matches(file));
}

function cannotBeUsed(pattern: string, problem: string): string {
  return `${quote(pattern)} in exclude cannot be used: ${problem}.`;
}
