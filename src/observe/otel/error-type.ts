// What kind of failure ended a span: a code or the name of a class, never a message. Pure.
import { isRecord } from '../../schema/record.ts';

const codeForm = /^[A-Z][A-Z0-9_]{1,63}$/;
const classForm = /^[A-Z][A-Za-z0-9]{0,63}$/;
/** The conventions' word for a failure without a kind. */
const otherError = '_OTHER';

/** `PROVIDER_RATE_LIMIT`, `ECONNREFUSED`, `AbortError`…: of few different values, so that it can be counted by. */
export function errorTypeOf(error: unknown): string {
  if (!isRecord(error)) return otherError;
  if (typeof error.code === 'string' && codeForm.test(error.code)) return error.code;
  // Every error has the name "Error" that has no better one.
  const { name } = error;
  return typeof name === 'string' && classForm.test(name) && name !== 'Error' ? name : otherError;
}
