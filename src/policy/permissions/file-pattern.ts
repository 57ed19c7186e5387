// Patterns of paths, as .gitignore has them: relative to the workspace, a name alone at any depth, a folder with all that is in it.
import { isWithinMatch, parseFileGlob } from '../../schema/file-glob.ts';

export interface FilePattern {
  /** In the language of .gitignore, relative to the workspace; `**` is every file. */
  readonly text: string;
  /** `path`: relative to the workspace, without `.` and `..`; '' is the workspace itself. */
  readonly matches: (path: string) => boolean;
  /** On some systems capitals make no other file. */
  readonly mayMatch: (path: string) => boolean;
}

export type ParsedFilePattern =
  | { readonly kind: 'pattern'; readonly pattern: FilePattern }
  | { readonly kind: 'broken'; readonly expected: string };

/** `workDir`: the workspace, absolute, where it is known. */
export function parseFilePattern(text: string, workDir: string | undefined): ParsedFilePattern {
  const given = text.trim();
  const expected = expectedInstead(given, workDir);
  if (expected !== undefined) return { kind: 'broken', expected };
  const plain = given.replace(/^(?:\.\/)+(?=.)/, '').replaceAll(/\/(?:\.?\/)+/g, '/');
  if (/^(?:\.|\/|\*\*?|\/?\*\*(?:\/\*)?)\/?$/.test(plain))
    return { kind: 'pattern', pattern: { text: '**', matches: () => true, mayMatch: () => true } };
  const glob = parseFileGlob(plain.replace(/\/+$/, ''));
  if (glob.kind === 'broken') return { kind: 'broken', expected: `a pattern of paths as .gitignore has them: ${glob.problem}` };
  const { matches, mayMatch } = glob;
  // What matches stands for all that is in it.
  const pattern = {
    text: plain,
    matches: (path: string) => isWithinMatch(path, matches),
    mayMatch: (path: string) => isWithinMatch(path, mayMatch),
  };
  return { kind: 'pattern', pattern };
}

/** What stands where a pattern would not match what it seems to mean; undefined for a pattern. */
function expectedInstead(text: string, workDir: string | undefined): string | undefined {
  if (text === '') return 'a path or a pattern of paths';
  if (text.startsWith('!')) return 'no ! in front: write a deny rule';
  if (/^["'`].*["'`]$/s.test(text)) return 'the path without quotes around it';
  if (/^\w+:/.test(text)) return 'the path alone, with nothing before it';
  if (text.replaceAll(/\{[^{}]*\}/g, '').includes(','))
    return 'one path: a rule for each, or names in braces, as in {src,docs}/**';
  // Before a sign of patterns it makes a plain character of it.
  if (/\\(?![[\]{}()!?])/.test(text)) return 'folders with / between them, and no \\';
  if (text.split('/').includes('..')) return 'a path within the workspace, without ..';
  if (text === workDir || (workDir !== undefined && text.startsWith(`${workDir}/`)))
    return `a path relative to the workspace: ${text.slice(workDir.length + 1) || '**'}`;
  if (systemPath.test(text)) return 'a path within the workspace and relative to it; the / in front stands for the workspace';
  return undefined;
}

/** Nobody means folders of the workspace by these; who does leaves the / out. */
const systemPath = /^(?:~|\$|\/(?:home|Users|root|tmp|var|etc|usr|opt|mnt|dev|proc|sys|github|__w)\/)/;
