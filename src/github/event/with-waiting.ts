// Owns how requests whose own runs never came become part of the one that is answered now: as quotes, each with its author. Pure.
import type { Instruction, ThreadFacts, Trigger } from '../../schema/gate.ts';

/** Only a mention takes them up: what a workflow's own prompt does on the thread is no conversation. */
export function withWaiting(instruction: Instruction, thread: ThreadFacts | null, { kind }: Trigger): Instruction {
  const waiting = kind === 'mention' ? (thread?.waiting ?? []) : [];
  if (waiting.length === 0) return instruction;
  const quotes = waiting.map(({ login, text }) => `${login} asked:\n${text.replaceAll(/^/gm, '> ')}`);
  const preface =
    'Earlier on this thread this was asked, and no run answered it. Do it as well, and answer it in the same reply.';
  return { ...instruction, text: [instruction.text, preface, ...quotes].filter((text) => text !== '').join('\n\n') };
}
