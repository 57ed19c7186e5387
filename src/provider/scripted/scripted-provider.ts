// A model that plays a script, in process: for the demo, `harness9 try` and tests. It reads nothing of what it is sent but its length.
import { setTimeout as delay } from 'node:timers/promises';
import { type Message, noUsage, type Origin } from '../../schema/message.ts';
import type { ModelRequest, ModelResponse } from '../../schema/model-call.ts';
import { ProviderError, type StreamChunk, withErrorChunk } from '../../schema/stream.ts';
import type { LLMProvider } from '../port.ts';
import { parseScript, type ScriptedTurn } from './script.ts';

export interface ScriptedOptions {
  /** Waits for a turn's `delayMs`; rejects on abort. Default: a timer. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Plays `script` (see script.ts): the n-th call made on this provider gets the n-th turn, whatever history it carries, so that restored
 * sessions and retries need no bookkeeping. A call beyond the script fails and names it. With `toolChoice: none` a turn's calls are left out,
 * as a model would have to. Throws a Harness9Error for a script of a wrong form.
 */
export function createScriptedProvider(script: unknown, name = 'script', options: ScriptedOptions = {}): LLMProvider {
  const { turns } = parseScript(script, name);
  const sleep = options.sleep ?? ((ms, signal) => delay(ms, undefined, { signal }));
  const origin: Origin = { provider: 'scripted', endpoint: 'in-process', model: name };
  let played = 0;

  async function nextTurn(signal: AbortSignal): Promise<ScriptedTurn> {
    signal.throwIfAborted();
    const turn = turns[played];
    played += 1;
    if (turn === undefined) {
      throw new ProviderError({
        kind: 'bad_request',
        message: `The script "${name}" has ${turns.length} turns and was asked for turn ${played}.`,
        hint: 'Add the missing turn to the script, or end the run earlier.',
        retryable: false,
      });
    }
    await sleep(turn.delayMs ?? 0, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
    return turn;
  }

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamChunk> {
    const turn = await nextTurn(signal);
    for (const delta of (turn.text ?? '').match(/\S+\s*|\s+/gu) ?? []) {
      signal.throwIfAborted();
      yield { type: 'text_delta', delta };
    }
    yield { type: 'done', ...answer(turn, request, origin) };
  }

  return {
    generate: async (request, { signal }) => answer(await nextTurn(signal), request, origin),
    generateStream: (request, { signal }) => withErrorChunk(stream(request, signal)),
  };
}

function answer(turn: ScriptedTurn, request: ModelRequest, origin: Origin): ModelResponse {
  if (turn.fault !== undefined) throw new ProviderError(turn.fault);
  const calls = request.toolChoice === 'none' ? [] : turn.calls;
  const usage = turn.usage === undefined ? undefined : { ...noUsage, ...withoutBlanks(turn.usage) };
  const message: Message = {
    role: 'assistant',
    content: turn.text === undefined || turn.text === '' ? [] : [{ type: 'text', text: turn.text }],
    ...(calls.length === 0
      ? {}
      : {
          toolCalls: calls.map((call, index) => ({
            // The history's length keeps ids apart from turn to turn, in restored sessions too.
            id: `call_${request.messages.length}_${index + 1}`,
            name: call.name,
            arguments: JSON.stringify(call.arguments),
          })),
        }),
    finishReason: turn.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    origin,
    ...(usage === undefined ? {} : { usage }),
  };
  return { message, usage };
}

function withoutBlanks<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
