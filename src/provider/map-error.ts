// What says no, as a ProviderError: answers with a bad status, and error objects where an answer should be. Whatever its form, of whatever vendor.
import type { ProviderError } from '../schema/stream.ts';
import type { Connection } from './connection.ts';
import { readErrorWords } from './error-body.ts';
import { answerError } from './fault.ts';

/** An answer with a bad status. `body`: its text as JSON, undefined when it is none. */
export interface AnswerFailure {
  readonly status: number;
  readonly headers: Headers | undefined;
  readonly body: unknown;
  readonly text: string;
}

/** An answer with a bad status, as the error that it is. */
export function mapAnswer(connection: Connection, { status, headers, body, text }: AnswerFailure): ProviderError {
  return answerError(connection, { ...readErrorWords(body, text), status, headers, body: text });
}

/** An error object inside an answer with status 200, whole or in a stream (G2-10, G3-10): the status is the one that it names itself, if any. */
export function mapErrorObject(connection: Connection, body: unknown): ProviderError {
  const words = readErrorWords(body);
  return answerError(connection, { ...words, status: words.meantStatus, body: JSON.stringify(body) });
}
