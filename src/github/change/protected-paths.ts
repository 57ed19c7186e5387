// Files whose change the agent may propose but publish does not make (E6), and files that a reviewer should look at twice (E7).
import { foldersAbove, lastMatch } from '../../schema/ignore-rules.ts';
import { parsePathPattern } from '../../schema/path-pattern.ts';

/** Always protected, in the language of .gitignore: what runs with secrets, or decides who reviews. The input `protected_paths` adds to it. */
export const defaultProtectedPaths: readonly string[] = [
  '.github/workflows/',
  '.github/actions/',
  '.github/dependabot.yml',
  '.github/dependabot.yaml',
  'CODEOWNERS',
  '.gitmodules',
  '.harness9/',
];

const carefulPaths: readonly string[] = [
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  '.npmrc',
  '.yarnrc*',
  'Makefile',
  'Dockerfile*',
  '.husky/',
  '.gitattributes',
  // What agents are told, and how.
  'AGENTS.md',
  'CLAUDE.md',
  '/skills/',
  '.agents/',
  '.claude/',
  'action.yml',
  'action.yaml',
];

/**
 * Tells of each path whether a pattern names it or a folder above it; upper and lower case are one. A file or a link in place of a
 * named folder, or of a folder on the way to it, is named as well: it would take the folder's place.
 */
export function createPathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const lower = patterns.map((pattern) => pattern.toLowerCase()).filter((pattern) => pattern !== '' && !pattern.startsWith('#'));
  const rules = lower.map(parsePathPattern);
  const places = lower.flatMap(placesOf).map(parsePathPattern);
  return (given) => {
    const path = given.toLowerCase();
    const folders = [...foldersAbove(path).map(([folder]) => folder), path].slice(1);
    const isNamed = folders.some((folder) => lastMatch(rules, `${folder}/`)?.isNegated === false);
    return isNamed || places.some((place) => place.matches(path));
  };
}

/** Tells of each path whether it is among those that alone may be published; no patterns allow all. Upper and lower case differ. */
export function createAllowedMatcher(patterns: readonly string[]): (path: string) => boolean {
  const rules = patterns.filter((pattern) => pattern !== '' && !pattern.startsWith('#')).map(parsePathPattern);
  if (rules.length === 0) return () => true;
  return (path) => {
    const places = [...foldersAbove(path).map(([folder]) => `${folder}/`), path].slice(1);
    const decisive = rules.findLast((rule) => places.some((place) => lastMatch([rule], place) !== undefined));
    return decisive?.isNegated === false;
  };
}

/** `a/b/**` → `/a`, `/a/b`: where no file may stand. Folders that a wildcard names are no places, for files stand beside them. */
function placesOf(pattern: string): string[] {
  if (pattern.startsWith('!')) return [];
  const above = pattern
    .replace(/^\/|\/$/g, '')
    .split('/')
    .slice(0, -1);
  const firstWild = above.findIndex((part) => /[*?[\\]/.test(part));
  const literal = firstWild < 0 ? above : above.slice(0, firstWild);
  return literal.map((_, index) => `/${literal.slice(0, index + 1).join('/')}`);
}

/** The paths of a change that are worth a second look before a merge. */
export function pickCarefulPaths(paths: readonly string[]): readonly string[] {
  return paths.filter(createPathMatcher(carefulPaths));
}
