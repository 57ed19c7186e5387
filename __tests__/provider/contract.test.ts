// The three providers under the contract, each against a server (or a script) that says the same things; and what is put around a provider.
import { redactModel } from '../../src/compose/redacted-model.ts';
import type { LLMProvider } from '../../src/engine/ports.ts';
import { withRetry } from '../../src/engine/retry.ts';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import { createScriptedProvider } from '../../src/provider/scripted/scripted-provider.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { type CreateProvider, describeProvider, type Situation } from '../contracts/provider.ts';
import * as anthropic from './anthropic/recordings.ts';
import { json, type RecordedRequest, type Reply, startByteServer } from './byte-server.ts';
import * as openai from './openai/recordings.ts';

const paths = ['a', 'b'] as const;

function isStreaming(request: RecordedRequest): boolean {
  return JSON.stringify(request.body).includes('"stream":true');
}

function openaiReply(situation: Situation, request: RecordedRequest): Reply {
  const calls = paths.map((path, index) => ({
    index,
    id: `call_${path}`,
    type: 'function',
    function: { name: 'read_file', arguments: JSON.stringify({ path }) },
  }));
  const [message, finish] =
    situation === 'calls' ? [{ content: 'Reading.', tool_calls: calls }, 'tool_calls'] : [{ content: 'Hello there' }, 'stop'];
  if (situation === 'failure') {
    return json({ error: { message: 'No.' } }, 400);
  }
  if (situation === 'slow') {
    return { chunks: [': wait\n\n'], end: 'hang' };
  }
  return isStreaming(request) ? { chunks: [openai.streamOf([message], finish)] } : json(openai.bodyOf(message, finish));
}

function anthropicReply(situation: Situation, request: RecordedRequest): Reply {
  const calls = paths.map((path) => ({ type: 'tool_use', id: `toolu_${path}`, name: 'read_file', input: { path } }));
  const [blocks, reason] =
    situation === 'calls'
      ? [[{ type: 'text', text: 'Reading.' }, ...calls], 'tool_use']
      : [[{ type: 'text', text: 'Hello there' }], 'end_turn'];
  if (situation === 'failure') {
    return json({ type: 'error', error: { type: 'invalid_request_error', message: 'No.' } }, 400);
  }
  if (situation === 'slow') {
    return { chunks: [anthropic.sse([anthropic.messageStart])], end: 'hang' };
  }
  const stream = anthropic.streamOf(
    blocks.map((block) => [block] as const),
    reason,
  );
  return isStreaming(request) ? { chunks: [stream] } : json(anthropic.bodyOf(blocks, reason));
}

const options = { apiKey: 'sk-test', env: {} };

describeProvider('openai', async (situation) => {
  const server = await startByteServer([(request) => openaiReply(situation, request)]);
  return {
    provider: createOpenAIProvider('m', { ...options, baseUrl: server.url }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});

describeProvider('anthropic', async (situation) => {
  const server = await startByteServer([(request) => anthropicReply(situation, request)]);
  return {
    provider: createAnthropicProvider('m', 4096, { ...options, baseUrl: server.url }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});

const turns = {
  text: { text: 'Hello there' },
  calls: { text: 'Reading.', calls: paths.map((path) => ({ name: 'read_file', arguments: { path } })) },
  failure: { fault: { kind: 'bad_request', message: 'No.' } },
  slow: { delayMs: 600_000 },
} satisfies Record<Situation, unknown>;

/** What `decorate` makes of a model that says the same at each of four calls, each time after what `before` says. */
function scripted(decorate: (provider: LLMProvider) => LLMProvider, before: readonly unknown[] = []): CreateProvider {
  return async (situation) => {
    const script = { turns: Array.from({ length: 4 }, () => [...before, turns[situation]]).flat() };
    return { provider: decorate(createScriptedProvider(script)), [Symbol.asyncDispose]: async () => undefined };
  };
}

const impatient = { clock: { ...systemClock, sleep: async () => undefined }, random: () => 0, log: () => undefined };
const filter = { secrets: (text: string) => text.replaceAll('hunter2', '***'), scan: () => ({ exact: false }) };

describeProvider(
  'scripted',
  scripted((provider) => provider),
);
describeProvider(
  'retried',
  scripted(
    (provider) => withRetry(provider, impatient),
    [
      { fault: { kind: 'overloaded', message: 'Later.', retryable: true } },
      { fault: { kind: 'transport', message: 'Lost.', retryable: true } },
    ],
  ),
);
describeProvider(
  'redacted',
  scripted((provider) => redactModel(provider, filter)),
);
describeProvider(
  'redacted and retried, as it is composed',
  scripted((provider) => redactModel(withRetry(provider, impatient), filter)),
);
