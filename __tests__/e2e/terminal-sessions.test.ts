// End to end on the sources: conversations that outlive the process, found, gone on with, searched and shortened.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ScriptStep } from '../../src/simulator/model/scripted-turn.ts';
import {
  conversationOf,
  modelKey,
  parseLines,
  startLoopbackModel,
  startTerminal,
  type TerminalScene,
  terminalTimeout as timeout,
} from './terminal-process.ts';

const answers = (...texts: readonly string[]): readonly ScriptStep[] => texts.map((text) => ({ text }));

/** Runs one prompt after the other; each with the arguments that are given. Returns the ids and what the model was sent. */
async function converse(terminal: TerminalScene, prompts: readonly (readonly string[])[], cwd?: string) {
  await using model = await startLoopbackModel(answers(...prompts.map((_args, index) => `Answer ${index + 1}.`)));
  const ids: string[] = [];
  const logs: string[] = [];
  for (const args of prompts) {
    const call = { args: [...model.args, '--output-format', 'json', ...args], env: model.env };
    const ended = await terminal.run(cwd === undefined ? call : { ...call, cwd });
    expect(ended.code).toBe(0);
    ids.push(JSON.parse(ended.stdout).sessionId);
    logs.push(ended.stderr);
  }
  return { ids, logs, sent: model.requests.map(conversationOf) };
}

const sessionsOf = async (terminal: TerminalScene, ...args: readonly string[]) => {
  const ended = await terminal.run({ args: ['sessions', ...args, '--output-format', 'json'] });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ended.stdout);
};

describe('a conversation', () => {
  test(
    'is gone on with by its id, by the beginning of it, as the newest of the folder, or not',
    async () => {
      await using terminal = await startTerminal();
      const first = await converse(terminal, [['first prompt']]);
      const [id = ''] = first.ids;
      const more = await converse(terminal, [
        ['--resume', id, 'second prompt'],
        [`--resume=${id.slice(0, 6)}`, 'third prompt'],
        ['--resume', 'fourth prompt'],
        ['--continue', 'fifth prompt'],
        ['sixth prompt'],
        ['--continue', 'seventh prompt'],
      ]);
      expect(more.ids.slice(0, 4)).toEqual([id, id, id, id]);
      expect(new Set([id, more.ids[4]]).size).toBe(2);
      expect(more.ids[5]).toBe(more.ids[4]);
      const told = ['first', 'second', 'third', 'fourth', 'fifth'].map((name) => `${name} prompt`);
      for (const prompt of told) expect(more.sent[3]).toContain(prompt);
      for (const prompt of told) expect(more.sent[5]).not.toContain(prompt);
      expect(more.sent[5]).toContain('sixth prompt');
    },
    timeout,
  );

  test(
    'goes on with another vendor (G6-14)',
    async () => {
      await using terminal = await startTerminal();
      await using anthropic = await startLoopbackModel(
        [{ text: 'Looking.', calls: [{ name: 'bash', arguments: { command: 'cat note.txt' } }] }, { text: 'Read.' }],
        'anthropic',
      );
      await using openai = await startLoopbackModel(answers('Gone on.'));
      await terminal.run({ args: [...anthropic.args, 'first prompt'], env: anthropic.env });
      const ended = await terminal.run({ args: [...openai.args, '--continue', 'second prompt'], env: openai.env });
      expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: 'Gone on.\n' });
      for (const kept of ['first prompt', 'Looking.', 'cat note.txt', 'hello', 'Read.', 'second prompt'])
        expect(conversationOf(openai.requests[0])).toContain(kept);
    },
    timeout,
  );

  test(
    '[spec 9 workspace isolation] is its folder’s: another one has its own, and an id from elsewhere is gone on with and said',
    async () => {
      await using terminal = await startTerminal();
      const other = path.join(terminal.home, 'other');
      await mkdir(other);
      const { ids } = await converse(terminal, [['first prompt']]);
      const there = await converse(
        terminal,
        [
          ['--continue', 'other prompt'],
          [`--resume=${ids[0]}`, 'third prompt'],
        ],
        other,
      );
      expect(there.logs[0]).toContain(`there is no earlier session of ${other}: a new one begins`);
      expect(there.sent[0]).not.toContain('first prompt');
      expect(there.logs[1]).toContain(`session ${ids[0]} was begun in ${terminal.cwd}`);
      expect(there.sent[1]).toContain('first prompt');
      expect((await sessionsOf(terminal)).sessions.map(({ id }: { id: string }) => id)).toEqual([ids[0]]);
      expect((await sessionsOf(terminal, '--cwd', other)).sessions.map(({ id }: { id: string }) => id)).toEqual([there.ids[0]]);
      expect((await sessionsOf(terminal, '--all')).sessions).toHaveLength(2);
    },
    timeout,
  );

  test(
    'is kept by two at the same time',
    async () => {
      await using terminal = await startTerminal();
      const names = ['one', 'two', 'three'];
      await using model = await startLoopbackModel(names.flatMap(() => answers('Answered.')));
      const runs = names.map((name) => terminal.run({ args: [...model.args, `prompt ${name}`], env: model.env }));
      expect((await Promise.all(runs)).map(({ code }) => code)).toEqual([0, 0, 0]);
      const { sessions } = await sessionsOf(terminal);
      const seen = sessions.map(({ title, messageCount }: { title: string; messageCount: number }) => [title, messageCount]);
      expect(seen.sort()).toEqual([
        ['prompt one', 2],
        ['prompt three', 2],
        ['prompt two', 2],
      ]);
    },
    timeout,
  );

  test(
    'is nobody else’s to read, has no key in it, and is not kept where that is wished (G6-16)',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel(answers(`your key is ${modelKey}`, 'Not kept.'));
      await terminal.run({ args: [...model.args, `my key is ${modelKey}`], env: model.env });
      const folder = path.join(terminal.home, '.harness9');
      const files = [folder, ...(await readdir(folder)).map((name) => path.join(folder, name))];
      for (const file of files) expect((await stat(file)).mode & 0o077).toBe(0);
      for (const name of await readdir(folder)) expect(await readFile(path.join(folder, name), 'latin1')).not.toContain(modelKey);
      const ended = await terminal.run({ args: [...model.args, '--no-session', 'second prompt'], env: model.env });
      expect(ended.stderr).not.toContain('session ');
      expect((await sessionsOf(terminal)).sessions).toHaveLength(1);
    },
    timeout,
  );

  test(
    'neither begins nor ends with a run that did not begin',
    async () => {
      await using terminal = await startTerminal();
      const ended = await terminal.run({ args: ['-p', 'x', '--provider', 'openai'] });
      expect(ended).toMatchObject({ code: 1, stderr: expect.not.stringContaining('continue with') });
      expect((await sessionsOf(terminal, '--all')).sessions).toEqual([]);
      const { ids } = await converse(terminal, [['first prompt']]);
      await terminal.run({ args: ['sessions', 'clear', ids[0] ?? ''] });
      await terminal.run({ args: ['-p', '--resume', ids[0] ?? '', 'x', '--provider', 'openai'] });
      expect((await sessionsOf(terminal)).sessions).toMatchObject([{ id: ids[0], messageCount: 0 }]);
    },
    timeout,
  );
});

describe('a store that cannot be opened', () => {
  test.each<[string, (home: string) => Promise<unknown>]>([
    ['its folder is a file', (home) => writeFile(path.join(home, '.harness9'), '')],
    [
      'it is damaged',
      async (home) => {
        await mkdir(path.join(home, '.harness9'));
        await writeFile(
          path.join(home, '.harness9', 'sessions.db'),
          'no database at all, but long enough to look like one'.repeat(50),
        );
      },
    ],
  ])(
    'because %s is a warning for a run, and an error for who asks for a session',
    async (_name, break_) => {
      await using terminal = await startTerminal();
      await break_(terminal.home);
      await using model = await startLoopbackModel(answers('Answered.'));
      const ended = await terminal.run({ args: [...model.args, 'x'], env: model.env });
      expect(ended).toMatchObject({ code: 0, stdout: 'Answered.\n', stderr: expect.stringContaining('warning=not_kept') });
      expect(ended.stderr).not.toContain('continue with');
      const asked = await Promise.all([
        terminal.run({ args: [...model.args, '--resume', 'x y'], env: model.env }),
        terminal.run({ args: [...model.args, '--continue', 'x'], env: model.env }),
        terminal.run({ args: ['sessions'] }),
        terminal.run({ args: ['sessions', '--output-format', 'json'] }),
      ]);
      expect(asked.map(({ code }) => code)).toEqual([1, 1, 1, 1]);
      for (const { stderr } of asked) expect(stderr).toMatch(/^harness9: .*sessions\.db.*\n/m);
      expect(JSON.parse(asked[3].stdout)).toMatchObject({ error: { code: 'SESSION_STORE_UNREADABLE' } });
      expect(model.requests).toHaveLength(1);
    },
    timeout,
  );
});

describe('sessions', () => {
  const reads: ScriptStep = {
    text: 'Looking.',
    calls: [{ name: 'bash', arguments: { command: 'cat note.txt; printf "\\033[2J"' } }],
  };
  const toText = (terminal: TerminalScene, ...args: readonly string[]) => terminal.run({ args: ['sessions', ...args] });

  test(
    '[spec 9 session tags] [spec 9 full-text search] are listed, shown, searched and tagged, for people and for scripts',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([reads, ...answers('It says hello.', 'Farewell.')]);
      await terminal.run({ args: [...model.args, 'what does the note say?'], env: model.env });
      await terminal.run({ args: [...model.args, '--continue', 'say goodbye'], env: model.env });
      const { sessions } = await sessionsOf(terminal);
      expect(sessions).toMatchObject([{ title: 'what does the note say?', workspace: terminal.cwd, tags: [], messageCount: 6 }]);
      const { id } = sessions[0];
      expect((await toText(terminal)).stdout).toMatch(
        new RegExp(`^${id} {2}[-0-9]{10} [0-9]{2}:[0-9]{2}Z +6 {2}what does the note say\\?\\n$`),
      );

      const shown = await toText(terminal, 'show', id);
      expect(shown.stdout).toMatch(/── user ──\nwhat does the note say\?\n\n── harness9 ──\nLooking\.\n→ bash .*cat note\.txt/);
      expect(shown.stdout).toMatch(/── result ──\nhello\n[\s\S]*── harness9 ──\nIt says hello\.\n\n── user ──\nsay goodbye\n/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that there is none
      expect(shown.stdout).not.toMatch(/\x1b/);
      const { messages, session } = await sessionsOf(terminal, 'show', id);
      expect(session.id).toBe(id);
      expect(messages.map(({ role }: { role: string }) => role)).toEqual([
        'user',
        'assistant',
        'user',
        'assistant',
        'user',
        'assistant',
      ]);

      expect(await sessionsOf(terminal, 'search', 'goodbye')).toMatchObject({ hits: [{ session: { id } }] });
      expect((await toText(terminal, 'search', 'says', 'hello')).stdout).toContain(`${id} `);
      expect((await toText(terminal, 'search', 'nowhere to be found')).stdout).toBe('nothing was found\n');

      expect(await sessionsOf(terminal, 'tag', id, 'greeting', 'old')).toEqual({ session: id, tags: ['greeting', 'old'] });
      expect((await toText(terminal)).stdout).toContain('#greeting #old');
      expect(await sessionsOf(terminal, '--tag', 'old')).toMatchObject({ sessions: [{ id }] });
      expect((await toText(terminal, '--tag', 'new')).stdout).toBe(`there are no sessions of ${terminal.cwd} with the tag new\n`);
      expect((await toText(terminal, 'list', '--all', '--tag', 'new')).stdout).toBe('there are no sessions with the tag new\n');
      expect((await toText(terminal, 'tag', id)).stdout).toBe(`${id} has no tags\n`);
    },
    timeout,
  );

  test(
    'are shortened, emptied and deleted',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([reads, ...answers('It says hello.', 'Farewell.')]);
      await terminal.run({ args: [...model.args, 'what does the note say?'], env: model.env });
      await terminal.run({ args: [...model.args, '--continue', 'say goodbye'], env: model.env });
      const { id } = (await sessionsOf(terminal)).sessions[0];
      const { removed } = await sessionsOf(terminal, 'pop', id);
      expect(removed.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant']);
      expect((await toText(terminal, 'pop', id)).stdout).toBe(
        `4 messages are taken back from ${id}, as far as: what does the note say?\n`,
      );
      expect((await toText(terminal, 'pop', id)).stdout).toBe(`${id} has nothing to take back\n`);
      expect((await toText(terminal, 'clear', id)).stdout).toBe(`${id} is empty\n`);
      expect(await toText(terminal, 'delete', id)).toMatchObject({ code: 0, stdout: `${id} is deleted\n` });
      expect((await toText(terminal)).stdout).toBe(`there are no sessions of ${terminal.cwd}\n`);
    },
    timeout,
  );

  test(
    'that are not there are an error with 1, in JSON an object with it',
    async () => {
      await using terminal = await startTerminal();
      for (const command of ['show', 'tag', 'pop', 'clear', 'delete']) {
        const ended = await toText(terminal, command, 'ffff', '--output-format', 'json');
        expect(ended.code).toBe(1);
        expect(parseLines(ended.stdout)).toMatchObject([
          { error: { code: 'SESSION_UNKNOWN', message: 'there is no session "ffff"' } },
        ]);
      }
      expect(await terminal.run({ args: ['-p', '--resume', 'go on'] })).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`there is no session of ${terminal.cwd}`),
      });
    },
    timeout,
  );
});
