// End to end on the sources: what stands around the engine, as the terminal's flags give it: rules, the check of the result, a transcript.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ReceivedRequest, ScriptedTurn, ScriptStep } from '../../src/simulator/model/scripted-turn.ts';
import { keys, runAttended } from './terminal-person.ts';
import { conversationOf, parseLines, startLoopbackModel, startTerminal, terminalTimeout as timeout } from './terminal-process.ts';

const runs = (command: string): ScriptStep => ({ calls: [{ name: 'bash', arguments: { command } }] });
const done: ScriptStep = { text: 'Done.' };

describe('permission rules by flag', () => {
  const rules = ['--permission-rules', 'deny bash(rm:*)', '--permission-rules', 'ask bash(touch:*)'];

  test(
    'are those of all flags; an ask is asked of the person, who reads which rule it is',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([runs('rm note.txt'), runs('touch made.txt'), done]);
      const [, ...args] = model.args;
      const { code } = await runAttended(terminal, { args: [...args, ...rules, 'go'], env: model.env }, async (person) => {
        expect(await person.sees('\n  > ')).toMatch(
          /\nharness9 asks before it runs bash:\n {2}│ \$ touch made\.txt\n {2}why: the permission rule bash\(touch:\*\) .*line 2\) wants/,
        );
        person.types(`y${keys.enter}`);
      });
      expect(code).toBe(0);
      expect(await readFile(path.join(terminal.cwd, 'made.txt'), 'utf8')).toBe('');
      expect(conversationOf(model.requests[1])).toMatch(/denied by the rule bash\(rm:\*\) .*line 1\)/);
    },
    timeout,
  );

  test(
    'deny with -p what they ask about',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([runs('touch made.txt'), done]);
      expect(await terminal.run({ args: [...model.args, ...rules, 'go'], env: model.env })).toMatchObject({ code: 0 });
      expect(conversationOf(model.requests[1])).toMatch(/bash\(touch:\*\).*nobody can answer here/);
    },
    timeout,
  );

  test(
    'may be a file of the folder that is worked in, which must be there',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([runs('cat note.txt'), done]);
      await writeFile(path.join(terminal.cwd, 'rules.txt'), 'deny bash\n');
      const call = (file: string) =>
        terminal.run({
          args: [...model.args, '--cwd', terminal.cwd, '--permission-rules', file, 'go'],
          env: model.env,
          cwd: terminal.home,
        });
      const missing = await call('./none.txt');
      expect(missing).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--permission-rules: "./none.txt"') });
      expect(model.requests).toEqual([]);
      expect(await call('./rules.txt')).toMatchObject({ code: 0, stdout: 'Done.\n' });
      expect(JSON.stringify(model.requests[0]?.body.tools)).not.toContain('"name":"bash"');
    },
    timeout,
  );
});

test(
  'sub-agents side by side ask one after another',
  async () => {
    await using terminal = await startTerminal();
    await mkdir(path.join(terminal.cwd, '.harness9/agents'), { recursive: true });
    const definition = '---\nname: maker\ndescription: Makes a file\ntools: bash\n---\nYou make files.\n';
    await writeFile(path.join(terminal.cwd, '.harness9/agents/maker.md'), definition);
    const task = (name: string) => ({ name: 'task', arguments: { agent: 'maker', prompt: `ORDER ${name}` } });
    const answer = (request: ReceivedRequest): ScriptedTurn => {
      const said = conversationOf(request);
      const hasResult = said.includes('"role":"tool"');
      if (!said.includes('"content":"ORDER'))
        return hasResult ? { text: 'All done.' } : { calls: [task('a.txt'), task('b.txt')] };
      const command = `touch ${said.includes('ORDER a.txt') ? 'a.txt' : 'b.txt'}`;
      return hasResult ? { text: 'Made or not.' } : { calls: [{ name: 'bash', arguments: { command } }] };
    };
    await using model = await startLoopbackModel(Array.from({ length: 6 }, () => answer));
    const [, ...args] = model.args;
    const asked: string[] = [];
    const { code } = await runAttended(
      terminal,
      { args: [...args, '--mode', 'accept_edits', 'go'], env: model.env },
      async (person) => {
        for (const reply of ['y', 'n']) {
          const seen = await person.sees('\n  > ');
          expect(seen.match(/harness9 asks/g)).toHaveLength(1);
          asked.push(/touch \w/.exec(seen)?.[0] ?? '');
          person.types(`${reply}${keys.enter}`);
        }
        await person.sees('All done.');
      },
    );
    expect({ code, asked: asked.toSorted() }).toEqual({ code: 0, asked: ['touch a', 'touch b'] });
    const made = `${asked[0]?.at(-1)}.txt`;
    await expect(readFile(path.join(terminal.cwd, made), 'utf8')).resolves.toBe('');
    await expect(readFile(path.join(terminal.cwd, made === 'a.txt' ? 'b.txt' : 'a.txt'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  },
  timeout,
);

describe('a command that verifies', () => {
  const verify = (command: string) => ['--verify-command', command, '--verify-attempts', '1'];

  test(
    'and fails to the last ends in 1, with the reason on stderr and in the result, though the run is completed',
    async () => {
      await using terminal = await startTerminal();
      const script = [runs('echo bye > note.txt'), done, { text: 'Still not.' }];
      await using model = await startLoopbackModel([...script, ...script]);
      const call = (format: string) =>
        terminal.run({ args: [...model.args, ...verify('echo why; exit 3'), '--output-format', format, 'go'], env: model.env });
      const text = await call('text');
      expect(text).toMatchObject({ code: 1, stdout: 'Still not.\n' });
      expect(text.stderr).toMatch(
        /^`echo why; exit 3` \(verify_command, run 2 times\) ended with exit code 3; the last line that it printed: why$/m,
      );
      expect(conversationOf(model.requests[2])).toContain('You are not done');
      const stream = await call('stream-json');
      expect(stream.code).toBe(1);
      expect(parseLines(stream.stdout).at(-1)).toMatchObject({
        type: 'done',
        data: { stopReason: 'completed', finalMessage: 'Still not.', error: { code: 'VERIFY_FAILED', detail: 'why' } },
      });
    },
    timeout,
  );

  test(
    'and passes ends in 0',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([
        runs('echo hello > note.txt'),
        done,
        runs('echo bye > note.txt'),
        { text: 'Mended.' },
      ]);
      const ended = await terminal.run({ args: [...model.args, ...verify('grep bye note.txt'), 'go'], env: model.env });
      expect(ended).toMatchObject({ code: 0, stdout: 'Mended.\n' });
    },
    timeout,
  );
});

describe('a transcript', () => {
  test(
    'is written to a new file of the folder that is worked in, without the key',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([runs('cat note.txt'), done]);
      const args = [...model.args, '--cwd', terminal.cwd, '--transcript', 'run.jsonl', `go ${model.env.OPENAI_API_KEY}`];
      expect(await terminal.run({ args, env: model.env, cwd: terminal.home })).toMatchObject({ code: 0 });
      const written = await readFile(path.join(terminal.cwd, 'run.jsonl'), 'utf8');
      expect(parseLines(written).map(({ type }) => type)).toEqual(expect.arrayContaining(['tool_start', 'tool_result', 'done']));
      expect(written).not.toContain(model.env.OPENAI_API_KEY);
    },
    timeout,
  );

  test.each([
    ['a file that is there', 'note.txt', 'expected a file that is not there yet'],
    ['the folder itself', '.', 'expected a file that is not there yet'],
    ['a folder that is not there', 'none/run.jsonl', 'expected a folder that is there'],
    ['a file as a folder', 'note.txt/run.jsonl', 'expected a folder that is there'],
  ])(
    'in %s is a usage error, and nothing is touched',
    async (_name, file, message) => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([done]);
      const ended = await terminal.run({ args: [...model.args, '--transcript', file, 'go'], env: model.env });
      expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`--transcript "${file}": ${message}`) });
      expect(await readFile(path.join(terminal.cwd, 'note.txt'), 'utf8')).toBe('hello\n');
      expect(model.requests).toEqual([]);
    },
    timeout,
  );
});
