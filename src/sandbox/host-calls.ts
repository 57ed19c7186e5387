// The calls in one life of a tool host, by id: sent, cancelled, answered, and answered by its end when the host is gone.
import { setTimeout as delay } from 'node:timers/promises';
import { errorResult, type ToolCall, type ToolResult } from '../schema/message.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import type { HostLine } from './host-line.ts';
import type { FromHost } from './protocol.ts';

/** What the host said to a call, or how the host ended before it said anything. */
export type HostAnswer =
  | { readonly kind: 'result'; readonly result: ToolResult }
  | { readonly kind: 'gone'; readonly reason: string };

/** Never rejects: whatever happens to the host is an answer. */
export interface HostCalls {
  execute(call: ToolCall, signal: AbortSignal): Promise<HostAnswer>;
  /** A result that nobody waits for is passed over. */
  take(result: Extract<FromHost, { type: 'result' }>): void;
}

/** Over the grace that bash gives its processes on a cancel. */
const cancelGraceMs = 5000;

/** None is open before the first `execute`. */
export function createHostCalls({ ready, gone, send }: HostLine): HostCalls {
  const open = new Map<number, (answer: HostAnswer) => void>();
  let lastId = 0;
  let endedBy: string | undefined;
  void gone.then((reason) => {
    endedBy = reason;
    for (const answer of open.values()) answer({ kind: 'gone', reason });
  });
  return {
    execute: async (call, signal) => {
      const hindrance = await untilAborted(ready, signal).then(hindranceOf, () => notBegun(call));
      if (hindrance !== undefined) return hindrance;
      lastId += 1;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<HostAnswer>();
      open.set(id, resolve);
      const cancel = () => {
        send({ type: 'cancel', id });
        void delay(cancelGraceMs, undefined, { ref: false }).then(() => resolve(cancelled(call)));
      };
      send({ type: 'call', id, call });
      if (signal.aborted) cancel();
      signal.addEventListener('abort', cancel, { once: true });
      if (endedBy !== undefined) resolve({ kind: 'gone', reason: endedBy });
      const answer = await promise;
      signal.removeEventListener('abort', cancel);
      open.delete(id);
      return answer.kind === 'gone' ? answer : { kind: 'result', result: { ...answer.result, toolCallId: call.id } };
    },
    take: ({ id, result }) => open.get(id)?.({ kind: 'result', result }),
  };
}

function hindranceOf(reason: string | undefined): HostAnswer | undefined {
  return reason === undefined ? undefined : { kind: 'gone', reason };
}

/** In the words of the registry's own, which is not asked. */
function notBegun(call: ToolCall): HostAnswer {
  return { kind: 'result', result: errorResult(call, `${call.name}: cancelled before it began.`) };
}

function cancelled(call: ToolCall): HostAnswer {
  return { kind: 'result', result: errorResult(call, 'Cancelled; the tool host did not say in time what was done.') };
}
