// Chat Completions failures to ProviderErrors, by status and by the codes of OpenAI and its compatible servers.
import type { FaultKind, ProviderError } from '../../schema/stream.ts';
import type { Connection } from '../connection.ts';
import { answerError, looksLikeHtml } from '../fault.ts';
import { isOverflow } from '../overflow-wording.ts';
import type { AnswerFailure } from '../send.ts';
import { errorBodySchema, type WireError } from './wire.ts';

const kindOfCode: Readonly<Record<string, FaultKind>> = {
  insufficient_quota: 'quota',
  billing_hard_limit_reached: 'quota',
  context_length_exceeded: 'context_overflow',
  exceed_context_size_error: 'context_overflow',
  rate_limit_exceeded: 'rate_limit',
  invalid_api_key: 'auth',
  authentication_error: 'auth',
  model_not_found: 'not_found',
  server_error: 'overloaded',
};

/** An answer with a bad status. */
export function mapAnswer(connection: Connection, failure: AnswerFailure): ProviderError {
  const isHtml = failure.body === undefined && looksLikeHtml(failure.headers, failure.text);
  const error = readErrorBody(failure.body ?? failure.text);
  return answerError(connection, { ...classify(error, failure.status), headers: failure.headers, isHtml });
}

/** An error object inside an answer with status 200, whole or in a stream (G2-10). A numeric code is the status that was meant. */
export function mapErrorObject(connection: Connection, body: unknown): ProviderError {
  return answerError(connection, classify(readErrorBody(body), undefined));
}

/** The error object of a body, whatever its form. */
export function readErrorBody(body: unknown): WireError {
  const parsed = errorBodySchema.safeParse(body);
  return parsed.success ? parsed.data : { message: JSON.stringify(body), code: undefined, type: undefined, param: undefined };
}

function classify(error: WireError, status: number | undefined): { status?: number; kind?: FaultKind | undefined; text: string } {
  const text = typeof error.message === 'string' ? error.message : JSON.stringify(error);
  const meant = status ?? meantStatus(error.code);
  const named = [error.code, error.type].map((name) => kindOfCode[String(name)]).find((kind) => kind !== undefined);
  const kind =
    named ?? (isOverflow(meant, text) ? 'context_overflow' : undefined) ?? (meant === undefined ? 'overloaded' : undefined);
  return { ...(meant === undefined ? {} : { status: meant }), kind, text };
}

function meantStatus(code: string | number | null | undefined): number | undefined {
  const value = Number(code ?? Number.NaN);
  return Number.isInteger(value) && value >= 400 && value < 600 ? value : undefined;
}
