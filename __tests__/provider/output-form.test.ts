// A form of the last message over both protocols, through the engine: against servers that refuse what the real ones refuse, and that refuse the form.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { LLMProvider } from '../../src/engine/ports.ts';
import { readSchema } from '../../src/output/read-schema.ts';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import { registryOf } from '../engine/ports.ts';
import { modes, playIn } from '../engine/scene.ts';
import { startStrictServer as startAnthropic } from './anthropic/strict-server.ts';
import { startStrictServer as startOpenAI } from './openai/strict-server.ts';

const answerSchema = {
  type: 'object',
  properties: { label: { enum: ['bug', 'idea'] } },
  required: ['label'],
  additionalProperties: false,
};

/** What the model does: a call of `look`, a text, or a refusal of the form. */
type Turn = 'look' | 'refuse' | { readonly text: string };

interface Server extends AsyncDisposable {
  readonly url: string;
  readonly exchanges: readonly { readonly text: string; readonly refusal: string | undefined }[];
}

interface Protocol {
  readonly name: string;
  readonly start: (turns: readonly Turn[]) => Promise<Server>;
  readonly provider: (baseUrl: string) => LLMProvider;
  /** The form in a request's body, as the vendor has it. */
  readonly formIn: (body: Readonly<Record<string, unknown>>) => unknown;
}

const options = { apiKey: 'sk-test', env: {} };

const openai: Protocol = {
  name: 'Chat Completions',
  start: (turns) =>
    startOpenAI({
      answer: (_, number) => {
        const turn = turns[number] ?? { text: '' };
        if (turn === 'refuse')
          return { status: 400, error: { message: "'response_format' of type 'json_schema' is not supported" } };
        if (turn === 'look') return { calls: [{ id: 'call_1', name: 'look', arguments: '{}' }], finish: 'tool_calls' };
        return { text: turn.text, finish: 'stop' };
      },
    }),
  provider: (baseUrl) => createOpenAIProvider('m', { ...options, baseUrl }),
  formIn: ({ response_format: form }) => form,
};

const anthropic: Protocol = {
  name: 'Messages',
  start: (turns) =>
    startAnthropic({
      answer: (_, number) => {
        const turn = turns[number] ?? { text: '' };
        if (turn === 'refuse') {
          return {
            status: 400,
            error: { type: 'invalid_request_error', message: 'output_config.format: Extra inputs are not permitted' },
          };
        }
        if (turn === 'look') return { content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }], stop: 'tool_use' };
        return { content: [{ type: 'text', text: turn.text }], stop: 'end_turn' };
      },
    }),
  provider: (baseUrl) => createAnthropicProvider('m', 4096, { ...options, baseUrl }),
  formIn: ({ output_config: config }) => Object(config).format,
};

const cases = [openai, anthropic].flatMap((protocol) =>
  modes.map((mode) => ({ protocol, mode, name: `${protocol.name}, ${mode}` })),
);

describe.each(cases)('$name', ({ protocol, mode }) => {
  const play = async (turns: readonly Turn[]) => {
    await using server = await protocol.start(turns);
    const outputSchema = await readSchema(JSON.stringify(answerSchema), {
      name: 'x',
      redact: (text) => text,
      log: () => undefined,
    });
    const registry = registryOf({ look: { run: () => 'seen' } });
    const engine = createEngine(protocol.provider(server.url), registry, '/w', { outputSchema });
    const result = await playIn(mode, engine, 'Sort it.');
    const bodies = server.exchanges.map(({ text }) => JSON.parse(text));
    expect(server.exchanges.map(({ refusal }) => refusal)).toEqual(bodies.map(() => undefined));
    return { result, bodies, forms: bodies.map((body) => protocol.formIn(body)) };
  };

  test('a server of which nobody knows gets the form where no call can be made: in the round that mends', async () => {
    const { result, bodies, forms } = await play(['look', { text: 'It is a bug.' }, { text: '{"label":"bug"}' }]);
    expect(result).toMatchObject({ stopReason: 'completed', structuredOutput: { label: 'bug' }, turns: 3 });
    expect(forms).toEqual([undefined, undefined, expect.objectContaining({ type: 'json_schema' })]);
    expect(JSON.stringify(forms[2])).toContain(JSON.stringify(answerSchema));
    expect(bodies.map(({ tool_choice: choice }) => JSON.stringify(choice)?.includes('none') ?? false)).toEqual([
      false,
      false,
      true,
    ]);
    expect(bodies[2].tools).toEqual(bodies[0].tools);
  });

  test('an answer that fits needs no round, and no form was ever sent', async () => {
    const { result, forms } = await play(['look', { text: '```json\n{"label":"idea"}\n```' }]);
    expect(result).toMatchObject({ structuredOutput: { label: 'idea' }, turns: 2 });
    expect(forms).toEqual([undefined, undefined]);
  });

  test('a server that refuses the form is asked again without it, in the same round', async () => {
    const { result, forms } = await play([{ text: 'It is a bug.' }, 'refuse', { text: '{"label":"bug"}' }]);
    expect(result).toMatchObject({ stopReason: 'completed', structuredOutput: { label: 'bug' }, turns: 2 });
    expect(result.error).toBeUndefined();
    expect(forms).toEqual([undefined, expect.objectContaining({ type: 'json_schema' }), undefined]);
  });

  test('a server that takes the form and does not keep to it is found out', async () => {
    const { result } = await play([{ text: 'It is a bug.' }, { text: '{"label":"chore"}' }]);
    expect(result.error?.code).toBe('OUTPUT_SCHEMA_MISMATCH');
    expect(result.error?.message).toContain(
      'at /label: must be equal to one of the allowed values ("bug", "idea"), seen "chore"',
    );
    expect(result.finalMessage).toBe('{"label":"chore"}');
  });
});
