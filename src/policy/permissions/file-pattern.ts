// Patterns of paths, as .gitignore has them: relative to the workspace, a name alone at any depth, a folder with all that is in it.
import picomatch from 'picomatch';

export interface FilePattern {
  /** `path`: relative to the workspace, without `.` and `..`; '' is the workspace itself. */
  readonly matches: (path: string) => boolean;
  /** On some systems capitals make no other file. */
  readonly mayMatch: (path: string) => boolean;
}

export type ParsedFilePattern =
  | { readonly kind: 'pattern'; readonly pattern: FilePattern }
  | { readonly kind: 'broken'; readonly expected: string };

export function parseFilePattern(text: string): ParsedFilePattern {
  const trimmed = text.trim().replace(/^(?:\.\/)+(?=.)/, '');
  if (trimmed === '') return { kind: 'broken', expected: 'a path or a pattern of paths' };
  if (trimmed.startsWith('!')) return { kind: 'broken', expected: 'no ! in front: write a deny rule' };
  if (trimmed.split('/').includes('..')) return { kind: 'broken', expected: 'a path within the workspace, without ..' };
  if (/^(?:\.|\/|\*\*?|\/?\*\*(?:\/\*)?)\/?$/.test(trimmed))
    return { kind: 'pattern', pattern: { matches: () => true, mayMatch: () => true } };
  return { kind: 'pattern', pattern: { matches: createMatcher(trimmed, false), mayMatch: createMatcher(trimmed, true) } };
}

function createMatcher(text: string, nocase: boolean): (path: string) => boolean {
  const body = text.replace(/\/+$/, '');
  const options = { dot: true, nonegate: true, noextglob: true, strictSlashes: true, nocase };
  // A name alone is one at any depth, and what matches stands for all that is in it.
  if (!body.includes('/')) {
    const isNamed = picomatch(body, options);
    return (path) => path.split('/').some((name) => isNamed(name));
  }
  const anchored = body.replace(/^\/+/, '');
  return picomatch([anchored, `${anchored}/**`], options);
}
