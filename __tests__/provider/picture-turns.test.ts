// A long run that looks at a picture or two each turn, over both protocols, against servers that refuse what the real ones refuse.
import { expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { ToolRegistry } from '../../src/engine/ports.ts';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import type { Part } from '../../src/schema/message.ts';
import { realPng } from '../schema/real-pictures.ts';
import { startStrictServer as startAnthropic } from './anthropic/strict-server.ts';
import { startStrictServer as startOpenAI } from './openai/strict-server.ts';

const turns = 30;
const imageOf = (shade: number, width = 4): Part => ({
  type: 'image',
  mediaType: 'image/png',
  data: realPng(width, 3, { shade }).toString('base64'),
});
const registry: ToolRegistry = {
  getAvailableTools: () => [
    { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} }, place: 'host', effect: 'read' },
  ],
  execute: async (call) => {
    const shade = Number(/\d+/.exec(call.arguments)?.[0]);
    // One of them is as large as a crowd may not have it.
    const output: readonly Part[] = [{ type: 'text', text: `look ${shade}` }, imageOf(shade, shade === 3 ? 2_001 : 4)];
    return { toolCallId: call.id, output, isError: false };
  },
};
const callsOf = (turn: number) => [2 * turn, 2 * turn + 1].map((shade) => ({ id: `call_${shade}`, name: 'look', shade }));

const protocols = {
  openai: {
    start: () =>
      startOpenAI({
        answer: (_, turn) =>
          turn >= turns
            ? { text: 'Seen.', finish: 'stop' }
            : {
                calls: callsOf(turn).map(({ id, name, shade }) => ({ id, name, arguments: JSON.stringify({ shade }) })),
                finish: 'tool_calls',
              },
      }),
    create: (baseUrl: string) => createOpenAIProvider('m', { apiKey: 'sk-test', env: {}, baseUrl }),
    most: 20,
  },
  anthropic: {
    start: () =>
      startAnthropic({
        answer: (_, turn) =>
          turn >= turns
            ? { content: [{ type: 'text', text: 'Seen.' }], stop: 'end_turn' }
            : {
                content: callsOf(turn).map(({ id, name, shade }) => ({ type: 'tool_use', id, name, input: { shade } })),
                stop: 'tool_use',
              },
      }),
    create: (baseUrl: string) => createAnthropicProvider('m', 4096, { apiKey: 'sk-test', env: {}, baseUrl }),
    most: 100,
  },
} as const;

const picture = /iVBORw0KGgo[\w+/=]*/g;
/** The texts of a request's messages, without marks of the cache, which move. */
const messagesOf = (text: string): readonly string[] => {
  const { messages } = JSON.parse(text, (key, value) => (key === 'cache_control' ? undefined : value));
  return messages.map((message: unknown) => JSON.stringify(message));
};

test.each(['openai', 'anthropic'] as const)(
  '%s: no request is refused, and what was sent before seldom changes',
  async (name) => {
    const { start, create, most } = protocols[name];
    await using server = await start();
    const engine = createEngine(create(server.url), registry, '/w', { maxRepeats: 0 });
    const result = await engine.run([{ type: 'text', text: 'Like this:' }, imageOf(200), { type: 'text', text: 'Go.' }]);
    expect([result.stopReason, result.finalMessage, result.notes]).toEqual(['completed', 'Seen.', undefined]);
    const { exchanges } = server;
    expect(exchanges.map(({ refusal }) => refusal).filter((refusal) => refusal !== undefined)).toEqual([]);
    expect(exchanges).toHaveLength(turns + 1);
    const counts = exchanges.map(({ text }) => text.match(picture)?.length ?? 0);
    expect(Math.max(...counts)).toBeLessThanOrEqual(most);
    expect(counts[3]).toBe(7);
    // The newest are always there.
    for (const [turn, { text }] of exchanges.entries()) {
      if (turn > 0) expect(text).toContain(realPng(4, 3, { shade: 2 * turn - 2 }).toString('base64'));
    }
    const sent = exchanges.map(({ text }) => messagesOf(text));
    const changes = sent.filter((messages, turn) => {
      const before = turn === 0 ? [] : (sent[turn - 1] ?? []);
      return before.some((message, index) => messages[index] !== message);
    });
    // Eleven more come in after each change; with a large one among them a crowd is twenty, and without it a hundred.
    expect(changes.length).toBe(name === 'openai' ? 4 : 1);
  },
);
