// Why a path that the model gave is refused; the text says what to give instead.
import { Harness9Error } from '../schema/error.ts';

export type PathProblem =
  | 'PATH_INVALID'
  | 'PATH_OUTSIDE'
  | 'PATH_PROTECTED'
  | 'PATH_NOT_FOUND'
  | 'PATH_NOT_A_FILE'
  | 'PATH_TOO_LARGE'
  | 'PATH_CHANGED';

/** Thrown by everything that takes a path from the model. */
export class PathError extends Harness9Error {
  constructor(code: PathProblem, message: string, hint?: string) {
    super({ code, message, hint });
    this.name = 'PathError';
  }
}
