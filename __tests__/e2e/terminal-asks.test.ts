// End to end on the sources, at a real pseudo-terminal: a person is asked before what a mode confirms, and what they answer holds.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ScriptStep } from '../../src/simulator/model/scripted-turn.ts';
import { keys, type Person, runAttended } from './terminal-person.ts';
import {
  conversationOf,
  startLoopbackModel,
  startTerminal,
  type TerminalScene,
  terminalTimeout as timeout,
} from './terminal-process.ts';

const edits: ScriptStep = {
  calls: [{ name: 'edit_file', arguments: { path: 'note.txt', old_string: 'hello', new_string: 'good morning' } }],
};
const done: ScriptStep = { text: 'Done.' };
const noteOf = (terminal: TerminalScene) => readFile(path.join(terminal.cwd, 'note.txt'), 'utf8');

/** The question up to where the answer is typed. */
const question = `
harness9 asks before it runs edit_file:
  │ path: note.txt
  │ - hello
  │ + good morning
  why: in the mode auto_edit every edit is confirmed before it is made
  [y]es, [n]o, [a]lways in this run for exactly this,
  or words that tell the agent what to do instead
  > `;

/** A run in which a person is there, in the mode that confirms edits. */
async function attend(script: readonly ScriptStep[], act: (person: Person) => Promise<unknown>, flags = ['--mode', 'auto_edit']) {
  await using terminal = await startTerminal();
  await using model = await startLoopbackModel(script);
  const [, ...args] = model.args;
  const ended = await runAttended(terminal, { args: [...args, ...flags, 'greet'], env: model.env }, act);
  return { ...ended, note: await noteOf(terminal), told: model.requests.slice(1).map(conversationOf) };
}

describe('an edit that a mode confirms', () => {
  test(
    '[spec 9 PlanModeAutoEdit] is shown, and made after a yes; then the shell has its keyboard again',
    async () => {
      const ended = await attend([edits, done], async (person) => {
        expect(await person.sees('\n  > ')).toContain(question);
        person.types(`y${keys.enter}`);
        expect(await person.sees('Done.')).toContain('y\n  → allowed\n');
      });
      expect(ended).toMatchObject({ code: 0, note: 'good morning\n' });
      expect(ended.screen).toMatch(/^session ([0-9a-f]{16}) · continue with: harness9 --resume \1 "…"$/m);
    },
    timeout,
  );

  test.each(['n', ''])(
    '[spec 9 PlanModeAutoEdit] is not made after "%s", and the model is told that it was denied',
    async (answer) => {
      const ended = await attend([edits, done], async (person) => {
        await person.sees(question);
        person.types(`${answer}${keys.enter}`);
        await person.sees('  → denied\n');
      });
      expect(ended).toMatchObject({ code: 0, note: 'hello\n' });
      const rule = 'in the mode auto_edit every edit is confirmed before it is made';
      expect(ended.told[0]).toContain(`\\"edit_file\\" was not run: ${rule}, and it was denied.`);
    },
    timeout,
  );

  test(
    '[spec 9 PlanModeAutoEdit] is not made when there are words instead, which the model gets with its next request',
    async () => {
      const instead: ScriptStep = { calls: [{ name: 'write_file', arguments: { path: 'grüße.txt', content: 'hi\n' } }] };
      const ended = await attend([edits, instead, done], async (person) => {
        await person.sees(question);
        person.types(`put it into grüße.txt${keys.enter}`);
        expect((await person.sees('\n  > ')).replace(/ms=\d+/g, 'ms=N')).toContain(
          '  → denied; the agent gets your words\n' +
            '[engine] tool=edit_file id=call_1_0 state=started\n[engine] tool=edit_file id=call_1_0 state=failed ms=N\n',
        );
        person.types(`yes${keys.enter}`);
      });
      expect(ended).toMatchObject({ code: 0, note: 'hello\n' });
      expect(ended.told[0]).toContain('and it was denied: put it into grüße.txt');
      expect(ended.screen).toContain('harness9 asks before it runs write_file (a new file):\n  │ path: grüße.txt\n  │ + hi\n');
      expect(ended.told[1]).not.toContain('grüße.txt\\" was not run');
    },
    timeout,
  );

  test(
    'is asked about once when the answer is always, and another one is asked about',
    async () => {
      const other: ScriptStep = { calls: [{ name: 'write_file', arguments: { path: 'b.txt', content: 'x' } }] };
      const back: ScriptStep = { calls: [{ name: 'bash', arguments: { command: 'echo hello > note.txt' } }] };
      const ended = await attend([edits, back, edits, other, done], async (person) => {
        await person.sees(question);
        person.types(`a${keys.enter}`);
        expect(await person.sees('\n  > ')).toContain('harness9 asks before it runs write_file');
        person.types(`n${keys.enter}`);
      });
      expect(ended).toMatchObject({ code: 0, note: 'good morning\n' });
      expect(ended.screen.split('harness9 asks before it runs edit_file')).toHaveLength(2);
    },
    timeout,
  );

  test(
    'is not answered by what was typed before the question stood there',
    async () => {
      const thinks: ScriptStep = { ...edits, delayMs: 500 };
      const ended = await attend(
        [{ calls: [{ name: 'bash', arguments: { command: 'true' } }] }, thinks, done],
        async (person) => {
          await person.sees('turn=1');
          person.types(`y${keys.enter}y${keys.enter}`);
          await person.sees('\n  > ');
          person.types(`not yet${keys.enter}`);
        },
      );
      expect(ended).toMatchObject({ code: 0, note: 'hello\n' });
      expect(ended.told[1]).toContain('it was denied: not yet');
    },
    timeout,
  );
});

test(
  'several edits of one turn are asked about one after another',
  async () => {
    const write = (name: string) => ({ name: 'write_file', arguments: { path: name, content: 'x' } });
    const ended = await attend([{ calls: ['1', '2', '3'].map(write) }, done], async (person) => {
      for (const [name, answer] of [
        ['1', 'y'],
        ['2', 'n'],
        ['3', 'y'],
      ]) {
        expect(await person.sees('\n  > ')).toMatch(new RegExp(`path: ${name}\n[^>]* {2}> $`));
        person.types(`${answer}${keys.enter}`);
      }
    });
    expect(ended.code).toBe(0);
    expect(ended.told[0]?.match(/Wrote|Created|was not run/g)).toHaveLength(3);
    expect(ended.told[0]?.split('was not run')).toHaveLength(2);
  },
  timeout,
);

test(
  'a command is shown as it is, with what would steer the screen written out',
  async () => {
    const command = "printf '\x1b[2J\x1b[1A'; rm -rf build # \u202edliub ekam";
    const script: readonly ScriptStep[] = [{ calls: [{ name: 'bash', arguments: { command } }] }, done];
    const { screen } = await attend(
      script,
      async (person) => {
        await person.sees('> ');
        person.types(`n${keys.enter}`);
      },
      ['--mode', 'accept_edits'],
    );
    expect(screen).toContain("  │ $ printf '\\x1b[2J\\x1b[1A'; rm -rf build # \\u202edliub ekam\n");
    expect(screen).not.toMatch(/(?![\n\r\t])[\p{Cc}\u202e]/u);
  },
  timeout,
);

describe('who does not answer', () => {
  test(
    'but interrupts at the question ends the run with 130, and the conversation is kept',
    async () => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([edits, done]);
      const [, ...args] = model.args;
      const call = { args: [...args, '--mode', 'auto_edit', 'greet'], env: model.env };
      const stopped = await runAttended(terminal, call, async (person) => {
        await person.sees(question);
        person.types(keys.ctrlC);
      });
      expect(stopped.code).toBe(130);
      expect(stopped.screen).toMatch(/ {2}> \^C\n\[engine\] .*\nsession [0-9a-f]{16} · continue with: /s);
      expect(await noteOf(terminal)).toBe('hello\n');
      const resumed = await terminal.run({ args: [...model.args, '--resume', 'go on'], env: model.env });
      expect(resumed).toMatchObject({ code: 0, stdout: 'Done.\n' });
      expect(conversationOf(model.requests[1])).toMatch(/greet.*interrupted.*go on/);
    },
    timeout,
  );

  test(
    'but leaves with Ctrl-D is not asked again, and the run goes on without',
    async () => {
      const other: ScriptStep = { calls: [{ name: 'write_file', arguments: { path: 'b.txt', content: 'x' } }] };
      const ended = await attend([edits, other, done], async (person) => {
        await person.sees(question);
        person.types(keys.ctrlD);
        await person.sees('  → denied; nobody is asked again in this run\n');
        expect(await person.sees('Done.')).not.toContain('  > ');
      });
      expect(ended).toMatchObject({ code: 0, note: 'hello\n' });
      expect(ended.told[1]?.split('whoever could answer has left')).toHaveLength(3);
    },
    timeout,
  );
});

describe('nobody is asked', () => {
  const denied = 'and nobody can answer here';

  test.each<[string, readonly string[], string]>([
    ['with -p', ['-p'], ''],
    ['with JSON', ['--output-format', 'json'], ''],
    ['with a stream', ['--output-format', 'stream-json'], ''],
    ['when stderr is no terminal', [], ' 2> /dev/null'],
    ['when something is piped in', [], ' < note.txt'],
  ])(
    '[spec 9 permission control] %s: what would be asked is denied',
    async (_name, flags, redirect) => {
      await using terminal = await startTerminal();
      await using model = await startLoopbackModel([edits, done]);
      const [, ...args] = model.args;
      const call = { args: [...args, ...flags, '--mode', 'auto_edit', 'greet'], env: model.env, redirect };
      const { code, screen } = await runAttended(terminal, call, (person) => person.sees('Done.'));
      expect({ code, note: await noteOf(terminal) }).toEqual({ code: 0, note: 'hello\n' });
      expect(screen).not.toContain('  > ');
      expect(conversationOf(model.requests[1])).toContain(denied);
    },
    timeout,
  );

  test(
    'where nothing asks, and the keyboard is left alone',
    async () => {
      const ended = await attend([edits, done], (person) => person.sees('Done.'), []);
      expect(ended).toMatchObject({ code: 0, note: 'good morning\n' });
      expect(ended.screen).not.toContain('  > ');
    },
    timeout,
  );
});

test(
  'the answer goes to a file while the person is asked on the screen',
  async () => {
    await using terminal = await startTerminal();
    await using model = await startLoopbackModel([edits, done]);
    const [, ...args] = model.args;
    const call = { args: [...args, '--mode', 'auto_edit', 'greet'], env: model.env, redirect: ' > answer.txt' };
    const { code } = await runAttended(terminal, call, async (person) => {
      await person.sees(question);
      person.types(`y${keys.enter}`);
    });
    expect({ code, note: await noteOf(terminal) }).toEqual({ code: 0, note: 'good morning\n' });
    expect(await readFile(path.join(terminal.cwd, 'answer.txt'), 'utf8')).toBe('Done.\n');
  },
  timeout,
);

test(
  'nothing of a folder is run or believed because it lies there',
  async () => {
    await using terminal = await startTerminal();
    await using model = await startLoopbackModel([edits, done]);
    const command = 'touch ran';
    const config = {
      hooks: { Stop: [{ command }], stop: [{ command }] },
      permissions: { allow: ['edit_file'] },
      mcpServers: { x: { command: 'touch', args: ['ran'] } },
    };
    for (const name of ['.mcp.json', 'hooks.json', '.harness9/settings.json', '.harness9/hooks.json', '.harness9/mcp.json']) {
      await mkdir(path.dirname(path.join(terminal.cwd, name)), { recursive: true });
      await writeFile(path.join(terminal.cwd, name), JSON.stringify(config));
    }
    const ended = await terminal.run({ args: [...model.args, '--mode', 'auto_edit', 'greet'], env: model.env });
    expect({ code: ended.code, note: await noteOf(terminal) }).toEqual({ code: 0, note: 'hello\n' });
    await expect(readFile(path.join(terminal.cwd, 'ran'))).rejects.toMatchObject({ code: 'ENOENT' });
  },
  timeout,
);
