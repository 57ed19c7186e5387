// What looks like a key, out of what a run says to people: before it is cut anywhere, since half a key is one to nobody but its reader. Pure.
import type { RunError, RunResult } from '../schema/run.ts';
import { redactJson } from './redact-json.ts';

/** `result` with `outward` applied to every text in it. */
export function redactResult(result: RunResult, outward: (text: string) => string): RunResult {
  const { finalMessage, ownWords, structuredOutput, error, notes } = result;
  return {
    ...result,
    finalMessage: outward(finalMessage),
    ...(ownWords === undefined ? {} : { ownWords: outward(ownWords) }),
    ...(structuredOutput === undefined ? {} : { structuredOutput: redactJson(structuredOutput, outward) }),
    ...(error === undefined ? {} : { error: redactError(error, outward) }),
    ...(notes === undefined ? {} : { notes: notes.map(outward) }),
  };
}

function redactError({ code, message, hint, detail }: RunError, outward: (text: string) => string): RunError {
  return {
    code,
    message: outward(message),
    ...(hint === undefined ? {} : { hint: outward(hint) }),
    ...(detail === undefined ? {} : { detail: outward(detail) }),
  };
}
