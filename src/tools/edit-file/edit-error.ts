// Why an edit is refused; the message tells the model how to mend the call. Nothing was changed when one is thrown.
import { Harness9Error } from '../../schema/error.ts';

export type EditProblem =
  | 'EMPTY_OLD_STRING'
  | 'IDENTICAL'
  | 'NOT_FOUND'
  | 'NOT_UNIQUE'
  | 'ALREADY_APPLIED'
  | 'LINE_NUMBERS'
  | 'LINE_ENDS_ONLY'
  | 'UNCLEAR'
  | 'PLACEHOLDER'
  | 'TOO_LARGE';

export class EditError extends Harness9Error {
  constructor(code: EditProblem, message: string) {
    super({ code, message });
    this.name = 'EditError';
  }
}
