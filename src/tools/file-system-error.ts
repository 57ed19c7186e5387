// Kinds of system errors by their code; never by their text.

/** Whether `error` is a system error with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)
  );
}
