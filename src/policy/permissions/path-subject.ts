// A path as rules judge it: as it is written, and where it really leads. Opens nothing; a link may be swapped between the judging and the use.
import path from 'node:path';
import type { FilePattern } from './file-pattern.ts';

export interface PathParts {
  /** The workspace, absolute. */
  readonly workDir: string;
  /** Where an absolute path really leads: all links followed, also those to what is not there, and what is not there behind it. */
  readonly realPath: (absolute: string) => Promise<string>;
}

export interface PathSubject {
  /** Relative to the workspace, as written and real; only those within it. */
  readonly within: readonly string[];
  /** False: some way of it leads out of the workspace. */
  readonly isInside: boolean;
  /** False: it may be any path. */
  readonly isKnown: boolean;
}

const unknownPath: PathSubject = { within: [], isInside: false, isKnown: false };
/** The tools take no longer paths. */
const maxChars = 4096;

/** The argument of a file tool. The tools take `..` out of it before they follow any link. */
export async function readToolPath(given: string, { workDir, realPath }: PathParts): Promise<PathSubject> {
  if (given.length > maxChars || given.includes('\0')) return unknownPath;
  const absolute = path.resolve(workDir, given);
  try {
    const [realRoot, real] = await Promise.all([realPath(workDir), realPath(absolute)]);
    const written = relativeTo(workDir, absolute) ?? relativeTo(realRoot, absolute);
    const actual = relativeTo(realRoot, real);
    const within = [written, actual].filter((each) => each !== undefined);
    return { within: [...new Set(within)], isInside: within.length === 2, isKnown: true };
  } catch {
    // A loop of links, a file that stands where a folder should: it leads nowhere that could be judged.
    return unknownPath;
  }
}

/** The target of a redirect. bash follows a link before it goes back by `..`, and begins in whatever folder it is in by then. */
export async function readRedirectPath(
  given: string | undefined,
  { changesFolder, ...parts }: PathParts & { readonly changesFolder: boolean },
): Promise<PathSubject> {
  if (given === undefined || given.split('/').includes('..')) return unknownPath;
  if (changesFolder && !path.isAbsolute(given)) return unknownPath;
  return await readToolPath(given, parts);
}

/** Undefined when `absolute` is not in `root`. */
function relativeTo(root: string, absolute: string): string | undefined {
  const relative = path.relative(root, absolute);
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative) ? undefined : relative;
}

/** Whether the pattern can be about the path: in either way of it. */
export function possiblyMatchesPath({ mayMatch }: FilePattern, { within, isKnown }: PathSubject): boolean {
  return !isKnown || within.some(mayMatch);
}

/** Whether the pattern is about the path in both ways of it. */
export function surelyMatchesPath({ matches }: FilePattern, { within, isInside, isKnown }: PathSubject): boolean {
  return isKnown && isInside && within.every(matches);
}
