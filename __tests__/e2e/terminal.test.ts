// End to end on dist: the terminal entry as a script would call it. Formats, ends and conversations in depth: the other terminal tests.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { late } from './late.ts';
import {
  conversationOf,
  modelKey,
  parseLines,
  startLoopbackModel,
  startTerminal,
  type TerminalCall,
  type TerminalScene,
  terminalTimeout as timeout,
} from './terminal-process.ts';

const entry = path.join(import.meta.dirname, '../../dist/cli/index.js');

/** The built terminal in `terminal`. */
const built = (terminal: TerminalScene) => (call: TerminalCall) => terminal.run({ ...call, entry });

describe('the built terminal', () => {
  test.each(['openai', 'anthropic'] as const)(
    'with %s works in the folder and prints the final message alone on stdout',
    async (provider) => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel(
        [
          { text: 'Looking.', calls: [{ name: 'bash', arguments: { command: 'cat note.txt' } }] },
          { calls: [{ name: 'write_file', arguments: { path: 'answer.txt', content: 'hello back\n' } }] },
          { text: 'Answered in answer.txt.' },
        ],
        provider,
      );
      const ended = await built(terminal)({ args: [...model.args, '--max-turns', '0', 'answer the note'], env: model.env });
      expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: 'Answered in answer.txt.\n' });
      expect(await readFile(path.join(terminal.cwd, 'answer.txt'), 'utf8')).toBe('hello back\n');
      expect(ended.stderr).toMatch(/^\[engine\] turn=1 tools=1 llm_ms=\d+ tools_ms=\d+ history=\d+$/m);
      expect(ended.stderr).toMatch(/^\[assistant\] Looking\.$/m);
      expect(JSON.stringify(model.requests[1]?.body)).toContain('hello');
      expect(model.remaining()).toBe(0);
    },
    timeout,
  );

  test(
    'reads its prompt from a pipe and its key from a .env, and goes on in another process, event by event',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([{ text: 'Read.' }, { text: 'Gone on.' }]);
      const lines = [`OPENAI_API_KEY=${modelKey}`, `OPENAI_BASE_URL=${model.env.OPENAI_BASE_URL}`];
      await writeFile(path.join(terminal.cwd, '.env'), lines.join('\n'));
      const first = await built(terminal)({ args: model.args, input: 'the piped prompt' });
      expect({ code: first.code, stdout: first.stdout }).toEqual({ code: 0, stdout: 'Read.\n' });
      expect(conversationOf(model.requests[0])).toContain('the piped prompt');
      const second = await built(terminal)({ args: [...model.args, '--continue', '--output-format', 'stream-json', 'go on'] });
      expect(parseLines(second.stdout).at(-1)).toMatchObject({ type: 'done', data: { finalMessage: 'Gone on.' } });
      expect(conversationOf(model.requests[1])).toContain('the piped prompt');
      const { stdout } = await built(terminal)({ args: ['sessions', '--output-format', 'json'] });
      expect(JSON.parse(stdout).sessions).toMatchObject([{ title: 'the piped prompt', messageCount: 4 }]);
    },
    timeout,
  );

  test(
    'takes what is piped in for material, and remembers the conversation by the words of the person',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([{ text: 'A letter.' }]);
      await built(terminal)({ args: [...model.args, 'sum it up'], env: model.env, input: 'Dear all, …' });
      expect(conversationOf(model.requests[0])).toMatch(/sum it up.*What stands between the marks.*Dear all, …/s);
      const { stdout } = await built(terminal)({ args: ['sessions', '--output-format', 'json'] });
      expect(JSON.parse(stdout).sessions).toMatchObject([{ title: 'sum it up' }]);
    },
    timeout,
  );

  test(
    'ends with 3 when a limit ended it, after the wrap-up',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([
        { calls: [{ name: 'bash', arguments: { command: 'true' } }] },
        { text: 'Half done.' },
      ]);
      const ended = await built(terminal)({ args: [...model.args, '--max-turns', '2', 'x'], env: model.env });
      expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 3, stdout: 'Half done.\n' });
    },
    timeout,
  );

  test(
    'ends with 130 when it is interrupted',
    async () => {
      await using terminal = await startTerminal();
      let interrupt: () => void = () => undefined;
      await using model = await startLoopbackModel([late(() => interrupt())]);
      const onStart: TerminalCall['onStart'] = (child) => {
        interrupt = () => child.kill('SIGINT');
      };
      expect(await built(terminal)({ args: [...model.args, 'x'], env: model.env, onStart })).toMatchObject({ code: 130 });
    },
    timeout,
  );

  test(
    'ends with 1 and one clear message when the key is missing or refused',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([{ status: 401, error: `wrong key ${modelKey}` }]);
      const missing = await built(terminal)({ args: [...model.args, 'x'] });
      expect(missing).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('OPENAI_API_KEY') });
      const refused = await built(terminal)({ args: [...model.args, 'x'], env: model.env });
      expect(refused).toMatchObject({ code: 1, stderr: expect.not.stringContaining(modelKey) });
    },
    timeout,
  );

  test(
    'ends with 2 for a command line that is wrong, and starts nothing',
    async () => {
      await using terminal = await startTerminal();
      const ended = await built(terminal)({ args: ['-p', 'x', '--max-turns', 'many'] });
      expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--max-turns "many"') });
    },
    timeout,
  );

  test.each([
    ['--sandbox', 'readonly', /^((?!"name":"bash").)*$/],
    ['--sandbox', 'process', /"name":"bash"/],
  ])(
    '%s %s decides which tools there are',
    async (flag, value, tools) => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([{ text: 'Seen.' }]);
      const ended = await built(terminal)({ args: [...model.args, flag, value, 'x'], env: model.env });
      expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: 'Seen.\n' });
      expect(JSON.stringify(model.requests[0]?.body.tools)).toMatch(tools);
    },
    timeout,
  );

  test(
    '--cwd works in another folder, which must be there',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([
        { calls: [{ name: 'read_file', arguments: { path: 'there.txt' } }] },
        { text: 'Read.' },
      ]);
      await writeFile(path.join(terminal.home, 'there.txt'), 'found\n');
      const call = (folder: string) => built(terminal)({ args: [...model.args, '--cwd', folder, 'x'], env: model.env });
      expect(await call(terminal.home)).toMatchObject({ code: 0, stdout: 'Read.\n' });
      expect(JSON.stringify(model.requests[1]?.body)).toContain('found');
      expect(await call(path.join(terminal.home, 'not'))).toMatchObject({ code: 2, stdout: '' });
    },
    timeout,
  );
});
