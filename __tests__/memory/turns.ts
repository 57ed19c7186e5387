// The turns that the writing child writes, so that a test knows them again.
import type { Message } from '../../src/schema/message.ts';
import { textPart } from '../../src/schema/message.ts';

export const journalKey = new Uint8Array(32).fill(7);

/** A question, a call and its result of `size` characters. */
export function turn(name: string, index: number, size: number): readonly Message[] {
  const id = `${name}.${index}`;
  return [
    { role: 'user', content: [textPart(`question ${id}`)] },
    { role: 'assistant', content: [], toolCalls: [{ id, name: 'bash', arguments: '{}' }] },
    { role: 'user', content: [textPart('x'.repeat(size))], toolCallId: id, isError: false },
  ];
}
