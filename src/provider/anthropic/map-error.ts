// Messages failures to ProviderErrors: the vendor's type of error is said, too, since it tells more than the status.
import type { ProviderError } from '../../schema/stream.ts';
import type { Connection } from '../connection.ts';
import { type ErrorWords, readErrorWords } from '../error-body.ts';
import { answerError } from '../fault.ts';
import type { AnswerFailure } from '../send.ts';

/** An answer with a bad status. */
export function mapAnswer(connection: Connection, { status, headers, body, text }: AnswerFailure): ProviderError {
  return answerError(connection, { ...typed(readErrorWords(body, text)), status, headers, body: text });
}

/** An error object inside a stream or an answer with status 200 (G3-10): its type decides, no status hides it. */
export function mapErrorObject(connection: Connection, body: unknown): ProviderError {
  const words = readErrorWords(body);
  return answerError(connection, { ...typed(words), status: words.meantStatus, body: JSON.stringify(body) });
}

function typed({ text, type, names }: ErrorWords): Pick<ErrorWords, 'text' | 'names'> {
  return { text: type === '' ? text : `${type}: ${text}`, names };
}
