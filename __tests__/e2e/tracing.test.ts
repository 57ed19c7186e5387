// End to end on dist: what a receiver of traces gets of a run, and that a run without one loads nothing for it.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { misplaced, spansNamed, startReceiver, treeOf } from '../observe/otel/receiver.ts';
import { mention } from './mention.ts';
import { mendingTurn, modelKey, startScene } from './scene.ts';

const timeout = 60_000;
const dist = path.join(import.meta.dirname, '../../dist/main');

describe('traces of the built Action', () => {
  test(
    'interaction, turns, model calls and tools, nested, with times and tokens, and no content',
    async () => {
      await using receiver = await startReceiver();
      await using scene = await startScene([mendingTurn, { text: 'Mended, said the CANARY.' }]);
      const { result } = await mention(scene, {
        said: '@harness9 fix it, CANARY',
        inputs: { otel_endpoint: receiver.url },
        options: { env: { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer token-of-the-receiver' } },
      });
      expect(result.outputs).toMatchObject({ conclusion: 'success' });
      const chat = 'chat scripted';
      expect(treeOf(receiver.spans)).toEqual([
        { 'invoke_agent harness9': [{ turn: [{ [chat]: [] }, { 'execute_tool edit_file': [] }] }, { turn: [{ [chat]: [] }] }] },
      ]);
      expect(misplaced(receiver.spans)).toEqual([]);
      const input = spansNamed(receiver.spans, chat).map(({ attributes }) => Number(attributes['gen_ai.usage.input_tokens']));
      expect(input.reduce((sum, tokens) => sum + tokens, 0)).toBe(Number(result.outputs.input_tokens));
      expect(receiver.requests[0]?.headers.authorization).toBe('Bearer token-of-the-receiver');
      expect(receiver.raw.join('\n')).not.toMatch(/CANARY|sum - price|total\.js/);
      expect(receiver.raw.join('\n')).not.toContain(modelKey);
      expect(receiver.resources[0]).toMatchObject({ 'service.name': 'harness9', 'vcs.repository.url.full': expect.any(String) });
    },
    timeout,
  );

  test(
    'content is there when it is asked for',
    async () => {
      await using receiver = await startReceiver();
      await using scene = await startScene([mendingTurn, { text: 'Mended, said the CANARY.' }]);
      await mention(scene, { inputs: { otel_endpoint: receiver.url, otel_content: 'true' } });
      expect(receiver.raw.join('\n')).toContain('CANARY');
      expect(receiver.raw.join('\n')).not.toContain(modelKey);
    },
    timeout,
  );

  test(
    'a receiver that is not there costs the run nothing but a line of the log',
    async () => {
      await using scene = await startScene([{ text: 'Done.' }]);
      const { result } = await mention(scene, { inputs: { otel_endpoint: 'http://127.0.0.1:9' } });
      expect(result.outputs).toMatchObject({ conclusion: 'no_changes' });
      expect(result.stderr).toContain('[otel] warning=traces_not_exported');
    },
    timeout,
  );

  test.each([
    ['without an endpoint none of the packages is loaded', {}, false],
    ['with one they are, which shows that this test can tell', { otel_endpoint: 'http://127.0.0.1:9' }, true],
  ])(
    '%s',
    async (_case, inputs, isLoaded) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'harness9-loaded-'));
      const report = path.join(folder, 'loaded.txt');
      const hook = path.join(folder, 'hook.mjs');
      await writeFile(
        hook,
        `import { registerHooks } from 'node:module';\nimport { appendFileSync } from 'node:fs';\n` +
          `registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(report)}, url + '\\n'); return next(url, context); } });\n`,
      );
      try {
        await using scene = await startScene([{ text: 'Done.' }]);
        await mention(scene, { inputs, options: { env: { NODE_OPTIONS: `--import=${hook}` } } });
        const loaded = (await readFile(report, 'utf8')).split('\n').filter((url) => url.includes('/dist/main/'));
        expect(loaded.length).toBeGreaterThan(0);
        const texts = await Promise.all(loaded.map((url) => readFile(new URL(url), 'utf8')));
        expect(texts.some((text) => text.includes('BatchSpanProcessorBase') || text.includes('NonRecordingSpan'))).toBe(isLoaded);
        expect((await readdir(dist)).length).toBeGreaterThan(1);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    timeout,
  );
});
