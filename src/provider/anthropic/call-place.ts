// Where a call stood among the blocks of its answer. Thinking between two calls must go back between them, and our messages keep calls apart.
import { z } from 'zod';
import type { Origin, Part } from '../../schema/message.ts';
import { isSameOrigin } from '../origin.ts';

const kind = 'tool_use';
const placeSchema = z.object({ call: z.number() });

/** A part that holds the place of the message's call with this number. */
export function callPlace(call: number, origin: Origin): Part {
  return { type: 'opaque', origin, kind, value: { call } };
}

/** The number of the call whose place `part` holds. */
export function placeOf(part: Part, origin: Origin): number | undefined {
  if (part.type !== 'opaque' || part.kind !== kind || !isSameOrigin(part.origin, origin)) return undefined;
  return placeSchema.safeParse(part.value).data?.call;
}
