// Chat Completions failures to ProviderErrors: what their bodies say, in whatever form compatible servers put it.
import type { ProviderError } from '../../schema/stream.ts';
import type { Connection } from '../connection.ts';
import { readErrorWords } from '../error-body.ts';
import { answerError } from '../fault.ts';
import type { AnswerFailure } from '../send.ts';

/** An answer with a bad status. */
export function mapAnswer(connection: Connection, { status, headers, body, text }: AnswerFailure): ProviderError {
  return answerError(connection, { ...readErrorWords(body, text), status, headers, body: text });
}

/** An error object inside an answer with status 200, whole or in a stream (G2-10). A numeric code is the status that was meant. */
export function mapErrorObject(connection: Connection, body: unknown): ProviderError {
  const words = readErrorWords(body);
  return answerError(connection, { ...words, status: words.meantStatus, body: JSON.stringify(body) });
}
