// Secrets out of the texts of a message's parts; images and vendors' own blocks are left as they are. Pure.
import type { Part } from '../schema/message.ts';

/** `parts` with `redact` applied to every text. */
export function redactParts(parts: readonly Part[], redact: (text: string) => string): readonly Part[] {
  return parts.map((part) => (part.type === 'text' ? { ...part, text: redact(part.text) } : part));
}
