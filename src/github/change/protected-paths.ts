// Files whose change the agent may propose but publish does not make (E6), and files that a reviewer should look at twice (E7).
import ignore from 'ignore';

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
  'AGENTS.md',
  'CLAUDE.md',
  'action.yml',
  'action.yaml',
];

/** Tells of each path whether a pattern names it or a folder above it; upper and lower case are one. */
export function createPathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const rules = ignore({ ignorecase: true }).add([...patterns]);
  return (path) => rules.ignores(path);
}

/** The paths of a change that are worth a second look before a merge. */
export function pickCarefulPaths(paths: readonly string[]): readonly string[] {
  return paths.filter(createPathMatcher(carefulPaths));
}
