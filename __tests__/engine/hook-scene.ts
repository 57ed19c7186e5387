// Hooks for tests, also such as nobody would write with types; and what the model was told about its calls, in a few letters.
import type { CallContext, Hook } from '../../src/engine/ports.ts';
import { type Message, textOf } from '../../src/schema/message.ts';

type Kind = 'preToolUse' | 'postToolUse' | 'turnComplete' | 'stop';

/** A hook that answers with anything. `Event`: what it is told. */
export function hookOf<Event>(
  kind: Kind,
  name: string,
  answer: (event: Event, context: CallContext) => unknown,
  timeoutMs?: number,
): Hook {
  const hook: Hook = { name, timeoutMs, [kind]: undefined };
  Reflect.set(hook, kind, answer);
  return hook;
}

/** `id text` for each observation, with `!` behind the id where it is an error. */
export function observationsOf({ messages }: { readonly messages: readonly Message[] }): readonly string[] {
  return messages.flatMap(({ toolCallId, content, isError }) =>
    toolCallId === undefined ? [] : [`${toolCallId}${isError === true ? '!' : ''} ${textOf(content)}`],
  );
}

/** For what must not be called, or fails at once. */
export function never(error: unknown): never {
  throw error instanceof Error ? error : new Error(String(error));
}

/** An answer that is none, for the name of a test. */
export function nameOf(answer: unknown): string {
  if (typeof answer === 'function') return 'a function';
  try {
    return `${Object.prototype.toString.call(answer)} ${JSON.stringify(answer)}`;
  } catch {
    return 'what is no JSON';
  }
}

/** A promise that never settles. */
export function forever(): Promise<never> {
  return new Promise(() => {});
}
