// A fault after the engine's run: the bundle is lost, the model's answer is not (R3, R5).
import { Harness9Error, hintOf, messageOf } from '../schema/error.ts';

/** What went wrong between the end of the engine and the bundle. */
export class LostBundle extends Harness9Error {
  readonly answer: string;

  constructor(cause: unknown, answer: string) {
    const code = cause instanceof Harness9Error ? cause.code : 'BUNDLE_LOST';
    super({ code, message: messageOf(cause), hint: hintOf(cause), cause });
    this.name = 'LostBundle';
    this.answer = answer;
  }
}

/** The model's answer that a fault carries; undefined when there is none. */
export function answerOf(error: unknown): string | undefined {
  return error instanceof LostBundle && error.answer !== '' ? error.answer : undefined;
}
