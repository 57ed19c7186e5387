// Names and ids of calls in the form that every server takes: models invent names, other vendors' ids are longer. Pure, the same every time.
import { createHash } from 'node:crypto';

/** The vendor takes 64 of these. */
const nameForm = /^[\w-]{1,64}$/;
/** The vendor takes 40 characters. */
const idForm = /^[\x21-\x7e]{1,40}$/;

/** The name of a call, which may be of no tool that there is. */
export function safeName(name: string): string {
  if (nameForm.test(name)) return name;
  return name.replaceAll(/[^\w-]+/g, '_').slice(0, 64) || 'unnamed';
}

/** The id of a call of somebody else's, and of its result. */
export function safeId(id: string): string {
  return idForm.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;
}
