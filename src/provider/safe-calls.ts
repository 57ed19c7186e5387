// Names, ids and arguments of calls in the form that every server takes: models invent names and break off, other vendors' ids are longer. Pure, the same every time.
import { createHash } from 'node:crypto';
import { argumentsOf, type ToolCall } from '../schema/message.ts';
import { isRecord } from '../schema/record.ts';

/** Both vendors take 64 of these. */
const foreignToNames = /[^\w-]+/g;
const longestName = 64;
/** Of the Chat Completions API: 40 characters. */
const idForm = /^[\x21-\x7e]{1,40}$/;

/** The name of a call, which may be of no tool that there is. */
export function safeName(name: string): string {
  return name.replaceAll(foreignToNames, '_').slice(0, longestName) || 'unnamed';
}

/** The id of a call of somebody else's, and of its result. */
export function safeId(id: string): string {
  return idForm.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;
}

/** Half of a character as JSON writes it, where it may be one; whole pairs look the same. */
const escapedHalf = /\\ud[89a-f]/i;

/** The arguments of a call, `text` in the model's own words. What is cut or broken is an empty object: strict servers refuse it for ever (G2-31, G3-15). */
export function safeArguments(call: Pick<ToolCall, 'arguments'>): { readonly text: string; readonly input: object } {
  const input = argumentsOf(call) ?? {};
  if (Object.keys(input).length === 0) return { text: '{}', input };
  if (call.arguments.isWellFormed() && !escapedHalf.test(call.arguments)) return { text: call.arguments, input };
  const text = JSON.stringify(input, (_name, value: unknown) => wellFormed(value));
  return { text, input: argumentsOf({ arguments: text }) ?? {} };
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name.toWellFormed(), inner]));
}
