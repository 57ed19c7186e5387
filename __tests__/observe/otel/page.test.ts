// .github/TRACES.md is true: it has every span and every attribute that leaves, and no other.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import type { Hook } from '../../../src/engine/ports.ts';
import type { Message, Usage } from '../../../src/schema/message.ts';
import { MemorySession, registryOf } from '../../engine/ports.ts';
import { modes } from '../../engine/scene.ts';
import { call, calls, ScriptedModel, says } from '../../engine/scripted-model.ts';
import { type ReceivedSpan, startReceiver } from './receiver.ts';
import { playTraced, startTracing } from './traced.ts';

const page = await readFile(path.join(import.meta.dirname, '../../../.github/TRACES.md'), 'utf8');

/** The first cell of each row of a section's table and the code in the last one. */
function rowsOf(title: string): ReadonlyMap<string, readonly string[]> {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.map((row) => {
      const cells = row.split('|').slice(1, -1);
      return [codeIn(cells[0])[0]?.split(' ')[0] ?? '', codeIn(cells.at(-1))];
    }),
  );
}

function codeIn(text = ''): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** `gen_ai.usage.` stands before the names of its members. */
function attributesOf(span: string): readonly string[] {
  const [own = [], content = []] = ['Attributes', 'Content'].map((title) => rowsOf(title).get(span));
  const prefix = own.indexOf('gen_ai.usage.');
  return prefix < 0
    ? [...own, ...content]
    : [...own.slice(0, prefix), ...own.slice(prefix + 1).map((name) => `gen_ai.usage.${name}`), ...content];
}

/** Runs in both modes, in which everything happens that a span can tell of. */
async function spansOfEverything(): Promise<readonly ReceivedSpan[]> {
  await using receiver = await startReceiver();
  const { tracing } = await startTracing(receiver.url, { captureContent: true });
  const usage: Usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 1, cacheWriteTokens: 1, reasoningTokens: 1 };
  const origin = { provider: 'openai', endpoint: 'https://api.example.com/v1', model: 'gpt-x' };
  const answer = (message: Message) => ({ answer: { ...message, origin }, usage, resets: true });
  const hook: Hook = {
    name: 'guard',
    preToolUse: async ({ call: { name } }) => (name === 'drop' ? { decision: 'deny', reason: 'no' } : undefined),
  };
  for (const mode of modes) {
    const model = new ScriptedModel([answer(calls(call('a', 'look'), call('b', 'drop'))), answer(says('done'))]);
    const inner = registryOf({ look: { run: () => 'seen' }, drop: { run: () => 'dropped' } });
    const exit = { code: 0, signal: null, timedOut: false };
    const registry: typeof inner = {
      ...inner,
      execute: async (made, context) => ({ ...(await inner.execute(made, context)), exit }),
    };
    const options = { session: new MemorySession(), hooks: [tracing.traceHook(hook)] };
    await playTraced(mode, { tracing, model, registry, options });
  }
  await tracing.shutdown();
  return receiver.spans;
}

test('every span and every attribute has its place, and what has one is sent', async () => {
  const seen = new Map<string, Set<string>>();
  for (const { name, attributes } of await spansOfEverything()) {
    const kind = name.split(' ')[0] ?? '';
    seen.set(kind, new Set([...(seen.get(kind) ?? []), ...Object.keys(attributes)]));
  }
  expect([...rowsOf('Spans').keys()].toSorted()).toEqual([...seen.keys()].toSorted());
  for (const [kind, attributes] of seen)
    expect([kind, [...attributes].toSorted()]).toEqual([kind, attributesOf(kind).toSorted()]);
});
