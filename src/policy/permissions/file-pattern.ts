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
  const isAnchored = body.includes('/');
  const glob = picomatch(body.replace(/^\/+/, ''), { dot: true, nonegate: true, noextglob: true, strictSlashes: true, nocase });
  return (path) => {
    const names = path === '' ? [] : path.split('/');
    // A folder that matches stands for all that is in it.
    return names.some((name, index) => glob(isAnchored ? names.slice(0, index + 1).join('/') : name));
  };
}
