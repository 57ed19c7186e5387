// The one error class for broken preconditions, and what is read of errors; expected trouble of a tool or a model is data, not an error.
import { isRecord } from './record.ts';

/** What every thrown error of ours carries: a stable code, a message with the value seen, and what to do about it. */
export interface ErrorDetails {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** A broken precondition. `message` says what happened with the value seen, `hint` what to do. */
export class Harness9Error extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(details: ErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'Harness9Error';
    this.code = details.code;
    this.hint = details.hint;
  }
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether `error` has one of these codes (`ENOENT`, `SESSION_GONE`…): kinds of errors are told by their code, never by their text. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return isRecord(error) && typeof error.code === 'string' && codes.includes(error.code);
}

/** What to do about it, where we know. */
export function hintOf(error: unknown): string | undefined {
  return error instanceof Harness9Error ? error.hint : undefined;
}

/** What happened and what to do, for people; a fault of our own comes with its stack. */
export function adviceOf(error: unknown): string {
  if (!(error instanceof Harness9Error)) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [error.message, error.hint].filter((line) => line !== undefined).join('\n');
}
