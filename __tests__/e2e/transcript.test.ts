// End to end on dist: the transcript of the Action's run, for whoever reads it in a later step, and when there is none to be read.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { late } from './late.ts';
import { type LaterStep, laterStep } from './later-step.ts';
import { mention } from './mention.ts';
import { modelKey, startScene } from './scene.ts';

const timeout = 180_000;
const shell = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }] });
/** Where a command at the level `process` finds the file: beside the folder of its home. */
const transcript = '$(find "$HOME/../.." -maxdepth 1 -name "transcript-*.jsonl")';

type Line = Readonly<Record<string, unknown>>;

/** Every line; the last one must be whole. */
function linesOf(text: string): readonly Line[] {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** What lies in the runner's folder when main has ended, named by an output or not. */
async function leftBehind(later: LaterStep): Promise<readonly string[]> {
  const kept = later.options.env?.KEEP_IN ?? '';
  const names = await readdir(kept, { recursive: true });
  return names.filter((name) => name.endsWith('.jsonl') && name.includes('transcript-')).map((name) => path.join(kept, name));
}

describe('the transcript', () => {
  test(
    'says what was asked, said, called, denied and found, in order, each with its time, and no key',
    async () => {
      await using later = await laterStep();
      await using scene = await startScene([
        { text: 'I look around.', ...shell(`ls; echo ${modelKey}`) },
        { text: 'I tidy up.', ...shell('rm -rf src') },
        { text: 'All is well.' },
      ]);
      const { result } = await mention(scene, {
        said: '@harness9 look around',
        inputs: { permission_rules: 'deny bash(rm:*)' },
        options: later.options,
      });
      const text = (await later.read(result.outputs.execution_file)).toString();
      const [head, ...events] = linesOf(text);
      expect(head).toEqual({
        type: 'transcript',
        version: 1,
        startedAt: expect.any(String),
        harness9: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        model: 'scripted',
        url: expect.stringMatching(/\/actions\/runs\/\d+$/),
        prompt: expect.stringContaining('look around'),
      });
      const told = events.filter(({ type }) => type !== 'token_update');
      expect(told.map(({ type, turn }) => `${turn} ${type}`)).toEqual([
        ...['1 action_delta', '1 tool_start', '1 tool_result'],
        ...['2 action_delta', '2 tool_start', '2 tool_result'],
        ...['3 action_delta', '3 done'],
      ]);
      expect([0, 3, 6].map((index) => told[index]?.data)).toEqual(['I look around.', 'I tidy up.', 'All is well.']);
      expect(told[2]?.data).toMatchObject({ result: { isError: false, exit: { code: 0, signal: null, timedOut: false } } });
      expect(JSON.stringify(told[5])).toContain('denied by the rule bash(rm:*)');
      expect(told.at(-1)?.data).toMatchObject({ stopReason: 'completed', turns: 3, finalMessage: 'All is well.' });
      const times = [head?.startedAt, ...events.map(({ at }) => at)].map((time) => Date.parse(String(time)));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(text).not.toContain(modelKey);
    },
    timeout,
  );

  test.each([
    ['writes more into it than we do after it', `head -c 100000 /dev/zero >> ${transcript}`],
    ['cuts it', `truncate -s 10 ${transcript}`],
    ['takes it away', `rm ${transcript}`],
    ['puts a link in its place', `file=${transcript}; rm "$file"; ln -s /etc/passwd "$file"`],
    ['puts the same words in its place', `file=${transcript}; cp "$file" "$file.2"; mv "$file.2" "$file"`],
  ])(
    'is no output when a command %s; the run is as ever',
    async (_what, command) => {
      await using scene = await startScene([shell(command), { text: 'Done.' }]);
      const { result } = await mention(scene, { inputs: { sandbox: 'process' } });
      expect(result.outputs).toMatchObject({ conclusion: 'no_changes', final_message: 'Done.' });
      expect(result.outputs).not.toHaveProperty('execution_file');
      expect(result.stderr.match(/^\[transcript\].*$/gm)).toEqual([expect.stringContaining('warning=not_kept')]);
    },
    timeout,
  );

  test(
    'of a cancelled run is an output, whole to its end',
    async () => {
      await using later = await laterStep();
      const cancel = new AbortController();
      await using scene = await startScene([{ text: 'I begin.', ...shell('true') }, late(() => cancel.abort())]);
      const { result } = await mention(scene, { options: { ...later.options, cancel: cancel.signal } });
      expect(result.outputs).toMatchObject({ conclusion: 'cancelled' });
      const lines = linesOf((await later.read(result.outputs.execution_file)).toString());
      expect(lines.at(-1)).toMatchObject({ type: 'done', data: { stopReason: 'cancelled' } });
    },
    timeout,
  );

  test(
    'of a killed run is no output; what there is of it can be read line by line',
    async () => {
      await using later = await laterStep();
      const cancel = new AbortController();
      await using scene = await startScene([{ text: 'I begin.', ...shell('true') }, late(() => cancel.abort())]);
      const cancelTimes = { interruptMs: 1, terminateMs: 1 };
      const { result } = await mention(scene, { options: { ...later.options, cancel: cancel.signal, cancelTimes } });
      expect(result.main.signal).toBe('SIGKILL');
      expect(`${JSON.stringify(result.outputs)}${result.post?.stdout}`).not.toContain('execution_file');
      const [file = '', ...others] = await leftBehind(later);
      expect(others).toEqual([]);
      const types = linesOf(await readFile(file, 'utf8')).map(({ type }) => type);
      expect(types.slice(0, 3)).toEqual(['transcript', 'token_update', 'action_delta']);
    },
    timeout,
  );
});
