// Messages failures to ProviderErrors, by status and by the vendor's error types.
import type { FaultKind, ProviderError } from '../../schema/stream.ts';
import type { Connection } from '../connection.ts';
import { answerError, looksLikeHtml } from '../fault.ts';
import { isOverflow } from '../overflow-wording.ts';
import type { AnswerFailure } from '../send.ts';
import { errorObjectSchema } from './wire.ts';

const kindOfType: Readonly<Record<string, FaultKind>> = {
  authentication_error: 'auth',
  permission_error: 'auth',
  billing_error: 'quota',
  not_found_error: 'not_found',
  request_too_large: 'context_overflow',
  rate_limit_error: 'rate_limit',
  overloaded_error: 'overloaded',
  api_error: 'overloaded',
  timeout_error: 'timeout',
};

/** An answer with a bad status; the SDK keeps the whole body, the error inside it. */
export function mapAnswer(connection: Connection, failure: AnswerFailure): ProviderError {
  const isHtml = failure.body === undefined && looksLikeHtml(failure.headers, failure.text);
  const body = errorObjectSchema.safeParse(failure.body);
  const inner = body.success && 'error' in body.data ? body.data.error : failure.body;
  return answerError(connection, {
    ...classify(inner, failure.text, failure.status),
    status: failure.status,
    headers: failure.headers,
    isHtml,
  });
}

/** An error object inside a stream or an answer with status 200 (G3-10): its type decides, no status hides it. */
export function mapErrorObject(connection: Connection, body: unknown): ProviderError {
  return answerError(connection, classify(body, '', undefined));
}

function classify(body: unknown, text: string, status: number | undefined): { kind?: FaultKind | undefined; text: string } {
  const parsed = errorObjectSchema.safeParse(body);
  const error = parsed.success ? parsed.data : undefined;
  const said = error?.message ?? (body === undefined || body === null ? text : JSON.stringify(body));
  const type = error?.type ?? '';
  const unknownKind = type === 'invalid_request_error' ? 'bad_request' : 'overloaded';
  const kind = kindOfType[type] ?? (isOverflow(status, said) ? 'context_overflow' : undefined);
  return { kind: kind ?? (status === undefined ? unknownKind : undefined), text: type === '' ? said : `${type}: ${said}` };
}
