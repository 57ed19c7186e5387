// A person who is asked: what each answer does, one question after another, and what happens when they leave or the run is stopped.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createApprover } from '../../src/cli/approver.ts';
import { createScreen } from '../../src/cli/screen.ts';
import type { ToolCall } from '../../src/schema/message.ts';
import type { Approval } from '../../src/schema/plan-mode.ts';

const secret = 'key-0123456789';
const never = new AbortController().signal;
const reason = 'the rule "ask bash(git push:*)"';
const left =
  'whoever could answer has left. Go on without what needs an answer, and say in your own answer what is left to be done.';

const bash = (command: string, more: object = {}): ToolCall => ({
  id: 'c1',
  name: 'bash',
  arguments: JSON.stringify({ command, ...more }),
});

/** An approver with somebody before it, whose screen is a text. */
function sit(workDir = '/nowhere') {
  const keyboard = new PassThrough();
  let shown = '';
  let onShow: () => void = () => undefined;
  const screen = createScreen((text) => {
    shown += text;
    onShow();
  });
  const redact = (text: string) => text.replaceAll(secret, '***');
  const seat = { keyboard, columns: () => 80 };
  const approve = createApprover({ seat, screen, outward: { env: {}, redact }, secrets: redact, workDir });
  const countOf = (words: string) => shown.split(words).length - 1;
  return {
    keyboard,
    screen,
    shown: () => shown,
    /** How often a line was waited for. */
    prompts: () => countOf('\n  > '),
    /** Resolves when the words have been shown `times` times. */
    sees: async (words: string, times = 1) => {
      while (countOf(words) < times) {
        await new Promise<void>((resolve) => {
          onShow = resolve;
        });
      }
    },
    ask: (call: ToolCall, signal = never) => approve({ call, reason }, { signal, run: {} }),
  };
}

/** What comes of one question that is answered so. */
async function answerWith(line: string, call = bash('git push')): Promise<{ approval: Approval; shown: string }> {
  const person = sit();
  const asked = person.ask(call);
  await person.sees('> ');
  person.keyboard.write(line);
  return { approval: await asked, shown: person.shown() };
}

test('a question says what would run, which rule asks, and what may be answered', async () => {
  const { shown } = await answerWith('y\n');
  expect(shown).toBe(
    [
      '',
      'harness9 asks before it runs bash:',
      '  │ $ git push',
      '  why: the rule "ask bash(git push:*)"',
      '  [y]es, [n]o, [a]lways in this run for exactly this,',
      '  or words that tell the agent what to do instead',
      '  >   → allowed',
      '',
    ].join('\n'),
  );
});

describe('the answer', () => {
  const yes = { isAllowed: true };
  const no = { isAllowed: false };

  test.each<[string, Approval, string]>([
    ['y\n', yes, '→ allowed\n'],
    ['yes\n', yes, '→ allowed\n'],
    [' YES \r\n', yes, '→ allowed\n'],
    ['a\n', yes, '→ allowed, and not asked again for exactly this in this run\n'],
    ['Always\n', yes, '→ allowed, and not asked again'],
    ['n\n', no, '→ denied\n'],
    ['No\n', no, '→ denied\n'],
    ['\n', no, '→ denied\n'],
    [' \t \n', no, '→ denied\n'],
    ['\x1b\x00\u200b\n', no, '→ denied\n'],
    ['yy\n', { ...no, feedback: 'yy' }, '→ denied; the agent gets your words\n'],
    ['yes, but only src\n', { ...no, feedback: 'yes, but only src' }, '→ denied; the agent gets your words\n'],
    ['s\n', { ...no, feedback: 's' }, '→ denied; the agent gets your words\n'],
    ['für 日本: push to\x1b[A origin\n', { ...no, feedback: 'für 日本: push to [A origin' }, 'your words\n'],
    [`use ${secret}\n`, { ...no, feedback: 'use ***' }, 'your words\n'],
  ])('%j is %j', async (line, approval, confirmation) => {
    const answered = await answerWith(line);
    expect(answered.approval).toEqual(approval);
    expect(answered.shown).toContain(confirmation);
  });

  test('may come in pieces that cut a character, and counts when its line is ended', async () => {
    const person = sit();
    const asked = person.ask(bash('x'));
    await person.sees('> ');
    for (const byte of Buffer.from('nö\n')) {
      person.keyboard.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    expect(await asked).toEqual({ isAllowed: false, feedback: 'nö' });
  });

  test('may be to see all of a long call first', async () => {
    const person = sit();
    const lines = Array.from({ length: 60 }, (_, index) => `echo ${index}`);
    const asked = person.ask(bash(lines.join('\n')));
    await person.sees('[s]how all of it');
    expect(person.shown()).not.toContain('echo 40');
    person.keyboard.write('s\n');
    await person.sees('> ', 2);
    expect(person.shown()).toContain('echo 40\n');
    expect(person.shown().split('[s]how')).toHaveLength(2);
    person.keyboard.write('y\n');
    expect(await asked).toEqual({ isAllowed: true });
  });
});

describe('always', () => {
  const edit = { id: 'e', name: 'edit_file', arguments: '{"path":"a","old_string":"b","new_string":"c"}' };
  const spaced = '{ "new_string": "c", "old_string": "b", "path": "a" }';
  const broken = { id: 'x', name: 'bash', arguments: '{"command":' };

  test.each<[string, ToolCall, ToolCall, boolean]>([
    ['the same command', bash('ls'), { ...bash('ls'), id: 'c2' }, true],
    ['the same command with more time', bash('ls'), bash('ls', { timeout_secs: 600 }), true],
    ['the same arguments in another order', edit, { ...edit, arguments: spaced }, true],
    ['the same text that is no JSON', broken, broken, true],
    ['a longer command', bash('ls'), bash('ls; rm x'), false],
    ['a command with a blank more', bash('ls'), bash('ls '), false],
    ['a command with an argument more', bash('ls'), bash('ls', { cwd: '/' }), false],
    ['another file', edit, { ...edit, arguments: spaced.replace('"a"', '"z"') }, false],
    ['another tool with the same arguments', bash('ls'), { ...bash('ls'), name: 'mcp__x__bash' }, false],
    ['text that is no JSON, after what it would be', bash('ls'), broken, false],
  ])('holds for %s: %#', async (_name, first, second, isRemembered) => {
    const person = sit();
    const asked = person.ask(first);
    await person.sees('> ');
    person.keyboard.write('a\n');
    expect(await asked).toEqual({ isAllowed: true });
    const again = person.ask(second);
    if (!isRemembered) {
      await person.sees('> ', 2);
      person.keyboard.write('n\n');
    }
    expect(await again).toEqual({ isAllowed: isRemembered });
    expect(person.prompts()).toBe(isRemembered ? 1 : 2);
  });

  test('answers the same call that waits already', async () => {
    const person = sit();
    const asked = Promise.all([person.ask(bash('ls')), person.ask(bash('ls')), person.ask(bash('pwd'))]);
    await person.sees('> ');
    person.keyboard.write('always\n');
    await person.sees('> ', 2);
    person.keyboard.write('n\n');
    expect(await asked).toEqual([{ isAllowed: true }, { isAllowed: true }, { isAllowed: false }]);
  });

  test('is not what yes is', async () => {
    const person = sit();
    for (const count of [1, 2]) {
      const asked = person.ask(bash('ls'));
      await person.sees('> ', count);
      person.keyboard.write('y\n');
      await asked;
    }
    expect(person.prompts()).toBe(2);
  });
});

describe('questions', () => {
  test('come one at a time, in the order of the calls, whoever asks', async () => {
    const person = sit();
    const asked = ['one', 'two', 'three'].map((command) => person.ask(bash(command)));
    for (const [index, line] of ['y\n', 'not this\n', 'n\n'].entries()) {
      await person.sees('> ', index + 1);
      expect(person.prompts()).toBe(index + 1);
      person.keyboard.write(line);
    }
    expect(await Promise.all(asked)).toEqual([
      { isAllowed: true },
      { isAllowed: false, feedback: 'not this' },
      { isAllowed: false },
    ]);
    expect(person.shown().match(/(?<=│ \$ )\w+/g)).toEqual(['one', 'two', 'three']);
  });

  test('are not answered by what was typed before they stood there, nor by the rest of a paste', async () => {
    const person = sit();
    person.keyboard.write('y\n');
    const first = person.ask(bash('one'));
    await person.sees('> ');
    const second = person.ask(bash('two'));
    for (const text of ['do this instead\ny\n', 'y\n', 'y\n']) person.keyboard.write(text);
    expect(await first).toEqual({ isAllowed: false, feedback: 'do this instead' });
    await person.sees('> ', 2);
    person.keyboard.write('n\n');
    expect(await second).toEqual({ isAllowed: false });
  });

  test('leave the keyboard alone when there are none', async () => {
    const person = sit();
    const asked = person.ask(bash('x'));
    await person.sees('> ');
    person.keyboard.write('y\n');
    await asked;
    expect({ isPaused: person.keyboard.isPaused(), listeners: person.keyboard.listenerCount('data') }).toEqual({
      isPaused: true,
      listeners: 0,
    });
  });

  test('are not torn apart by the log: it goes on when they are answered', async () => {
    const person = sit();
    person.screen.write('before\n');
    const asked = person.ask(bash('x'));
    await person.sees('> ');
    person.screen.write('[engine] meanwhile\n');
    expect(person.shown()).not.toContain('meanwhile');
    person.keyboard.write('n\n');
    await asked;
    person.screen.write('after\n');
    expect(person.shown()).toMatch(/^before\n.*> {3}→ denied\n\[engine\] meanwhile\nafter\n$/s);
  });
});

describe('who leaves', () => {
  test.each<[string, (keyboard: PassThrough) => void]>([
    ['with Ctrl-D', (keyboard) => keyboard.end()],
    ['with Ctrl-D in the middle of a yes', (keyboard) => keyboard.end('y')],
    ['with the terminal', (keyboard) => keyboard.destroy(new Error('EIO'))],
  ])('%s denies this call and every later one, and is not asked again', async (_name, leave) => {
    const person = sit();
    const [first, second] = [person.ask(bash('one')), person.ask(bash('two'))];
    await person.sees('> ');
    leave(person.keyboard);
    const denied = { isAllowed: false, feedback: left };
    expect(await Promise.all([first, second, person.ask(bash('three'))])).toEqual([denied, denied, denied]);
    expect(person.prompts()).toBe(1);
    expect(person.shown()).toContain('\n  → denied; nobody is asked again in this run\n');
  });

  test('before anything is asked sees what is denied', async () => {
    const person = sit();
    person.keyboard.end();
    expect(await person.ask(bash('one'))).toEqual({ isAllowed: false, feedback: left });
    expect(person.shown()).toMatch(/│ \$ one\n.*→ denied; nobody is asked again in this run\n$/s);
  });

  test('has said always to some calls, which are still allowed', async () => {
    const person = sit();
    const asked = person.ask(bash('ls'));
    await person.sees('> ');
    person.keyboard.write('a\n');
    await asked;
    person.keyboard.end();
    expect(await person.ask(bash('pwd'))).toEqual({ isAllowed: false, feedback: left });
    expect(await person.ask(bash('ls'))).toEqual({ isAllowed: true });
  });
});

describe('a run that is stopped', () => {
  const stopped = new Error('stopped by SIGINT');

  test('takes its question back, and what waited to be said follows on a line of its own', async () => {
    const person = sit();
    const stop = new AbortController();
    const asked = person.ask(bash('one'), stop.signal);
    await person.sees('> ');
    person.screen.write('[engine] ended\n');
    stop.abort(stopped);
    await expect(asked).rejects.toBe(stopped);
    await person.sees('ended');
    expect(person.shown()).toMatch(/ {2}> \n\[engine\] ended\n$/);
    expect(person.keyboard.listenerCount('data')).toBe(0);
  });

  test('while another one asks takes only its own back', async () => {
    const person = sit();
    const stop = new AbortController();
    const first = person.ask(bash('one'));
    const second = person.ask(bash('two'), stop.signal);
    const third = person.ask(bash('three'));
    await person.sees('> ');
    stop.abort(stopped);
    await expect(second).rejects.toBe(stopped);
    person.keyboard.write('y\n');
    expect(await first).toEqual({ isAllowed: true });
    await person.sees('> ', 2);
    person.keyboard.write('y\n');
    expect(await third).toEqual({ isAllowed: true });
    expect(person.shown()).not.toContain('two');
  });

  test('before it asks, asks nothing', async () => {
    const person = sit();
    await expect(person.ask(bash('one'), AbortSignal.abort(stopped))).rejects.toBe(stopped);
    const asked = person.ask(bash('two'));
    await person.sees('> ');
    expect(person.shown()).toMatch(/^\nharness9 asks before it runs bash:\n {2}│ \$ two\n/);
    person.keyboard.end();
    await asked;
  });
});

describe('a file that is written', () => {
  test('is told to be new, or to be replaced', async () => {
    const workDir = await mkdtemp(path.join(tmpdir(), 'harness9-approver-'));
    try {
      await writeFile(path.join(workDir, 'old.txt'), 'twelve bytes');
      for (const [name, note] of [
        ['old.txt', 'it replaces a file of 12 bytes'],
        ['new.txt', 'a new file'],
      ]) {
        const person = sit(workDir);
        const write = { id: 'w', name: 'write_file', arguments: JSON.stringify({ path: name, content: 'a\nb\n' }) };
        const asked = person.ask(write);
        await person.sees('> ');
        person.keyboard.write('y\n');
        await asked;
        expect(person.shown()).toContain(
          `harness9 asks before it runs write_file (${note}):\n  │ path: ${name}\n  │ + a\n  │ + b\n  why`,
        );
      }
    } finally {
      await rm(workDir, { recursive: true, force: true });
    }
  });
});
