// Why a path that the model gave is refused; the text says what to give instead.
import { Harness9Error, hasCode } from '../schema/error.ts';

export type PathProblem =
  | 'PATH_INVALID'
  | 'PATH_OUTSIDE'
  | 'PATH_PROTECTED'
  | 'PATH_NOT_FOUND'
  | 'PATH_NOT_A_FILE'
  | 'PATH_TOO_LARGE'
  | 'PATH_CHANGED'
  | 'PATH_REFUSED';

/** Thrown by everything that takes a path from the model. */
export class PathError extends Harness9Error {
  constructor(code: PathProblem, message: string, hint?: string, cause?: unknown) {
    super({ code, message, hint, cause });
    this.name = 'PathError';
  }
}

/** What a file system says no by. */
const refusals: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the quota of disk space is used up',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk failed',
};

/** What `work` on a path gives. Throws the file system's refusals as a PathError that names the path as the model gave it. */
export async function toldByPath<T>(input: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = Object.keys(refusals).find((each) => hasCode(cause, each));
    if (code === undefined) throw cause;
    throw new PathError('PATH_REFUSED', `"${input}": ${refusals[code]} (${code})`, undefined, cause);
  }
}
