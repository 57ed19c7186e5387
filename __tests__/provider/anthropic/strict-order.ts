// The strict server's rules as an assertion, for bodies and for mere parts of them.
import { findRefusal } from './strict-request.ts';

/** Throws for a request that the vendor would refuse: alternation, pairing and order of results, blank text, cache marks. */
export function checkAnthropicOrder(body: object): void {
  const request = { model: 'm', max_tokens: 1, ...withoutEmpty(body) };
  // What was answered before is not known here: thinking is taken as it is, and a last answer as a paused one.
  const refusal = findRefusal(request, { answers: [thoughtsIn(body)], isPaused: () => true });
  if (refusal !== undefined) throw new Error(refusal);
}

function withoutEmpty(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

function thoughtsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value && /thinking/.test(String(value.type)) ? [value] : [];
  return [...own, ...Object.values(value).flatMap(thoughtsIn)];
}
