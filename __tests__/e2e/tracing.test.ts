// End to end on dist: what a receiver of traces gets of a run, what it is spared, and what a run without one is spared.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { misplaced, type ReceivedSpan, spansNamed, startReceiver, treeOf } from '../observe/otel/receiver.ts';
import { late } from './late.ts';
import { loadedPackages, watchLoading } from './loaded-packages.ts';
import { mention } from './mention.ts';
import { mendingTurn, modelKey, shopFiles, startScene } from './scene.ts';
import { startLoopbackModel, startTerminal } from './terminal-process.ts';

const timeout = 180_000;
const chat = { 'chat scripted': [] };
const shell = (command: string) => ({ name: 'bash', arguments: { command } });
const headers = (text: string) => ({ env: { OTEL_EXPORTER_OTLP_HEADERS: text } });

function counted(spans: readonly ReceivedSpan[], attribute: string): string {
  return String(spans.reduce((sum, { attributes }) => sum + Number(attributes[attribute] ?? 0), 0));
}

describe('traces of the built Action', () => {
  test(
    'interaction, turns, model calls, hooks, tools and sub-agents, nested, with times and tokens, and no content',
    async () => {
      await using receiver = await startReceiver();
      await using scene = await startScene(
        [
          { ...mendingTurn, text: 'CANARY' },
          { calls: [shell('rm CANARY'), shell('echo CANARY; exit 3'), { name: 'CANARY', arguments: { CANARY: 'CANARY' } }] },
          { calls: [{ name: 'task', arguments: { agent: 'explorer', prompt: 'CANARY' } }] },
          { text: 'I looked, said the CANARY.' },
          { text: 'Mended, said the CANARY.' },
        ],
        { files: { ...shopFiles, 'AGENTS.md': 'CANARY\n', 'CANARY.md': 'CANARY\n' } },
      );
      const { result } = await mention(scene, {
        said: '@harness9 fix it, CANARY',
        inputs: {
          otel_endpoint: receiver.url,
          permission_rules: 'deny bash(rm:*)',
          verify_command: 'sleep 0.2; true CANARY',
          system_prompt_append: 'CANARY',
          branch_name: 'harness9/CANARY',
        },
        options: headers('authorization=Bearer token-of-the-receiver'),
      });
      expect(result.outputs).toMatchObject({ conclusion: 'success', branch_name: expect.stringContaining('CANARY') });
      expect(treeOf(receiver.spans)).toEqual([
        {
          'invoke_agent harness9': [
            { turn: [chat, { 'execute_tool edit_file': [] }] },
            { turn: [chat, { 'execute_tool bash': [] }, { 'execute_tool unknown': [] }] },
            { turn: [chat, { 'execute_tool task': [{ 'invoke_agent explorer': [{ turn: [chat] }] }] }] },
            { turn: [chat, { 'hook verify_command': [] }] },
          ],
        },
      ]);
      expect(misplaced(receiver.spans)).toEqual([]);
      const notRun = spansNamed(receiver.spans, 'turn').map(({ attributes }) => attributes['harness9.tool_calls_not_run']);
      expect(notRun.filter((calls) => calls !== undefined)).toEqual([1]);
      const chats = spansNamed(receiver.spans, 'chat scripted');
      expect(counted(chats, 'gen_ai.usage.input_tokens')).toBe(result.outputs.input_tokens);
      expect(counted(chats, 'gen_ai.usage.output_tokens')).toBe(result.outputs.output_tokens);
      expect(receiver.requests[0]?.headers.authorization).toBe('Bearer token-of-the-receiver');
      expect(receiver.raw.join('\n')).not.toMatch(/CANARY|sum - price|total\.js/);
      expect(receiver.raw.join('\n')).not.toContain(modelKey);
      expect(receiver.resources[0]).toMatchObject({
        'service.name': 'harness9',
        'vcs.repository.url.full': expect.stringMatching(/\/octo-org\/shop$/),
        'cicd.pipeline.run.url.full': expect.stringMatching(/\/actions\/runs\/\d+$/),
      });
    },
    timeout,
  );

  test(
    'content is there when it is asked for, without the key',
    async () => {
      await using receiver = await startReceiver();
      const leak = Buffer.from(`key: ${modelKey}`).toString('base64');
      await using scene = await startScene([
        { text: `It is ${modelKey}.`, calls: [shell(`echo ${leak} ${JSON.stringify(modelKey)}`)] },
        { text: 'Mended, said the CANARY.' },
      ]);
      await mention(scene, { inputs: { otel_endpoint: receiver.url, otel_content: 'true' } });
      const raw = receiver.raw.join('\n');
      expect(raw).toContain('CANARY');
      expect(raw).toContain('echo ');
      for (const secret of [modelKey, leak]) expect(raw).not.toContain(secret);
    },
    timeout,
  );

  test(
    'a run that is cancelled does not wait for a receiver that never answers, and publishes what was done',
    async () => {
      await using receiver = await startReceiver('never');
      const cancel = new AbortController();
      await using scene = await startScene([mendingTurn, late(() => cancel.abort())]);
      const { result } = await mention(scene, {
        inputs: { otel_endpoint: receiver.url },
        options: { cancel: cancel.signal },
      });
      // Left alone, the exporter would say "Request timed out" after some seconds more.
      expect(result.stderr).toMatch(/^\[otel\] warning=traces_not_exported .*code=CANCELLED error=cancelled by SIGINT$/m);
      expect(receiver.raw.join('\n')).toContain('"CANCELLED"');
      expect(scene.github.snapshot().pulls).toHaveLength(1);
    },
    timeout,
  );

  test(
    'a receiver that is not there costs the run nothing but a line of the log',
    async () => {
      await using scene = await startScene([{ text: 'Done.' }]);
      const { result } = await mention(scene, { inputs: { otel_endpoint: 'http://127.0.0.1:9' } });
      expect(result.outputs).toMatchObject({ conclusion: 'no_changes' });
      expect(result.stderr.match(/^\[otel\].*$/gm)).toEqual([expect.stringContaining('warning=traces_not_exported')]);
    },
    timeout,
  );
});

describe('headers for the receiver', () => {
  test(
    'hide what logs in, and leave other words alone: in the reply, in the changes and in the log',
    async () => {
      await using receiver = await startReceiver();
      const said = `The shop-data-production of harness9, not 0a1b2c3d4e5f6g7h8i9j.`;
      await using scene = await startScene([mendingTurn, { text: said }]);
      const { issue, result } = await mention(scene, {
        inputs: { otel_endpoint: receiver.url },
        options: headers('x-dataset=shop-data-production,x-service=harness9,x-org=1,x-team=0a1b2c3d4e5f6g7h8i9j'),
      });
      expect(result.outputs).toMatchObject({ conclusion: 'success' });
      expect(scene.replies(issue)).toEqual([expect.stringContaining('The shop-data-production of harness9, not ***.')]);
      expect(result.log).toContain('harness9-session-issue-1');
      expect(receiver.requests[0]?.headers).toMatchObject({ 'x-dataset': 'shop-data-production', 'x-org': '1' });
    },
    timeout,
  );

  test.each([
    ['are not looked at without an endpoint', {}, 'no_changes', ''],
    [
      'that are none are told, by the variable and never by a word of it',
      { otel_endpoint: 'http://127.0.0.1:9' },
      'error',
      'OTEL_EXPORTER_OTLP_HEADERS: entry 1 is no header.',
    ],
  ])(
    '%s',
    async (_case, inputs, conclusion, error) => {
      await using scene = await startScene([{ text: 'Done.' }]);
      const { result } = await mention(scene, { inputs, options: headers('the rubbish of somebody else') });
      expect(result.outputs).toMatchObject({ conclusion, error });
      expect(result.log).not.toContain('rubbish');
    },
    timeout,
  );
});

test(
  'in the terminal, too, what logs in at the receiver is hidden: from the model, on stdout and in the transcript',
  async () => {
    await using terminal = await startTerminal();
    const secret = '0a1b2c3d4e5f6g7h8i9j';
    await using model = await startLoopbackModel([{ calls: [shell(`echo ${secret}`)] }, { text: `It is ${secret}.` }]);
    const args = [...model.args, '--otel-endpoint', 'http://127.0.0.1:9', '--transcript', 'run.jsonl', 'go'];
    const { env } = headers(`authorization=Bearer%20${secret}`);
    const ended = await terminal.run({ args, env: { ...model.env, ...env } });
    expect(ended).toMatchObject({ code: 0, stdout: 'It is ***.\n' });
    const transcript = await readFile(path.join(terminal.cwd, 'run.jsonl'), 'utf8');
    expect(transcript).toContain('It is ***.');
    expect(JSON.stringify(model.requests[1]?.body) + ended.stderr + transcript).not.toContain(secret);
  },
  timeout,
);

describe('the packages of OpenTelemetry', () => {
  const all = ['api', 'core', 'exporter-trace-otlp-http', 'otlp-exporter-base', 'otlp-transformer', 'resources', 'sdk-trace'];

  test.each([
    ['are loaded by none of main and post without an endpoint', {}, []],
    ['are loaded by main with one, which shows that this test can tell', { otel_endpoint: 'http://127.0.0.1:9' }, all],
  ])(
    '%s',
    async (_case, inputs, inMain) => {
      await using loading = await watchLoading();
      await using scene = await startScene([{ text: 'Done.' }]);
      await mention(scene, { inputs, options: { env: loading.env } });
      expect(await loadedPackages(loading, 'main')).toEqual(expect.arrayContaining(inMain));
      if (inMain.length === 0) expect(await loadedPackages(loading, 'main')).toEqual([]);
      expect(await loadedPackages(loading, 'post')).toEqual([]);
    },
    timeout,
  );

  test.each([
    ['are not loaded by the terminal without an endpoint, whatever a folder says', [], []],
    ['are loaded by the terminal with one', ['--otel-endpoint', 'http://127.0.0.1:9'], all],
  ])(
    '%s',
    async (_case, args, inCli) => {
      await using loading = await watchLoading();
      await using terminal = await startTerminal();
      await writeFile(path.join(terminal.cwd, '.env'), 'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9\n');
      await using model = await startLoopbackModel([{ text: 'Done.' }]);
      const entry = path.join(import.meta.dirname, '../../dist/cli/index.js');
      const ended = await terminal.run({ args: [...model.args, ...args, 'go'], env: { ...model.env, ...loading.env }, entry });
      expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
      expect(await loadedPackages(loading, 'cli')).toEqual(inCli.length === 0 ? [] : expect.arrayContaining(inCli));
    },
    timeout,
  );
});
