// What every provider promises to the engine, as one suite that each implementation runs.
import { describe, expect, test } from '@jest/globals';
import type { CallContext, LLMProvider, ModelRequest } from '../../src/engine/ports.ts';
import type { StreamChunk } from '../../src/schema/stream.ts';

/** The situations in which a provider must be put; `slow` answers only after a very long time. */
export type Situation = 'text' | 'calls' | 'failure' | 'slow';

/** A provider that will meet this situation at every call; disposed of by the suite. */
export type CreateProvider = (situation: Situation) => Promise<{ readonly provider: LLMProvider } & AsyncDisposable>;

const request: ModelRequest = {
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
  ],
  tools: [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object' }, place: 'host', effect: 'read' }],
  toolChoice: 'auto',
  tailStart: 2,
};

function contextOf(signal = new AbortController().signal): CallContext {
  return { signal, run: {} };
}

async function collect(provider: LLMProvider, context = contextOf()): Promise<readonly StreamChunk[]> {
  const chunks: StreamChunk[] = [];
  for await (const chunk of provider.generateStream(request, context)) {
    chunks.push(chunk);
  }
  return chunks;
}

/**
 * `text` answers "Hello there", `calls` says "Reading." and calls read_file twice with the paths "a" and "b", `failure` is refused for good.
 */
export function describeProvider(name: string, create: CreateProvider): void {
  describe(`${name} keeps the promises of a provider`, () => {
    test('an answer is an assistant message with its origin and the reason why it ended', async () => {
      await using case_ = await create('text');
      const { message } = await case_.provider.generate(request, contextOf());
      expect(message).toMatchObject({
        role: 'assistant',
        content: [{ type: 'text', text: 'Hello there' }],
        finishReason: 'stop',
      });
      expect(message.origin).toMatchObject({
        provider: expect.any(String),
        endpoint: expect.any(String),
        model: expect.any(String),
      });
      expect(message.toolCalls).toBeUndefined();
    });

    test('a stream ends in exactly one done, whose text is that of the deltas', async () => {
      await using case_ = await create('text');
      const chunks = await collect(case_.provider);
      expect(chunks.filter((chunk) => chunk.type === 'done' || chunk.type === 'error')).toEqual([chunks.at(-1)]);
      const shown = chunks.map((chunk) => (chunk.type === 'text_delta' ? chunk.delta : '')).join('');
      expect(chunks.at(-1)).toMatchObject({ type: 'done', message: { content: [{ type: 'text', text: shown }] } });
      expect(shown).toBe('Hello there');
    });

    test('calls come whole and in order, the same in both modes', async () => {
      await using case_ = await create('calls');
      const { message, usage } = await case_.provider.generate(request, contextOf());
      expect(message.toolCalls?.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
        ['read_file', { path: 'a' }],
        ['read_file', { path: 'b' }],
      ]);
      expect(new Set(message.toolCalls?.map((call) => call.id)).size).toBe(2);
      expect(message.finishReason).toBe('tool_calls');
      expect((await collect(case_.provider)).at(-1)).toEqual({ type: 'done', message, usage });
    });

    test('a failure rejects with a fault, and is the one last chunk of a stream, which does not throw', async () => {
      await using case_ = await create('failure');
      const last = (await collect(case_.provider)).at(-1);
      expect(last).toMatchObject({ type: 'error', error: { retryable: false, message: expect.stringMatching(/\S/) } });
      const fault = last?.type === 'error' ? last.error : undefined;
      await expect(case_.provider.generate(request, contextOf())).rejects.toMatchObject({ name: 'ProviderError', fault });
    });

    test('an abort rejects with its reason, before the call and during it, in both modes', async () => {
      await using case_ = await create('slow');
      const reason = new Error('enough');
      for (const call of [
        (context: CallContext) => case_.provider.generate(request, context),
        (context: CallContext) => collect(case_.provider, context),
      ]) {
        await expect(call(contextOf(AbortSignal.abort(reason)))).rejects.toBe(reason);
        const controller = new AbortController();
        const pending = call(contextOf(controller.signal));
        setTimeout(() => controller.abort(reason), 20);
        await expect(pending).rejects.toBe(reason);
      }
    });

    test('a consumer may stop reading at any chunk', async () => {
      await using case_ = await create('text');
      const seen: string[] = [];
      for await (const chunk of case_.provider.generateStream(request, contextOf())) {
        seen.push(chunk.type);
        break;
      }
      expect(seen).toEqual(['text_delta']);
    });
  });
}
