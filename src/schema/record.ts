// What an object is when it comes from outside. Pure.

/** Whether `value` is an object that is no array, so that its members can be looked at by name. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
