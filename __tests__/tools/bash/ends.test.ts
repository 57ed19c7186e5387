import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { describeStart } from '../../../src/tools/bash/describe-end.ts';
import { createHostTools } from '../../../src/tools/host-tools.ts';
import type { ToolOutcome } from '../../../src/tools/tool.ts';
import { running } from '../../sandbox/running.ts';

const places: (() => void)[] = [];
afterEach(() => {
  for (const remove of places.splice(0)) remove();
});

/** bash itself, with what it says in fields. */
function createShell(env: Readonly<Record<string, string>> = {}) {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'harness9-ends-')));
  const [dir, tmpDir] = [path.join(base, 'ws'), path.join(base, 'tmp')];
  for (const each of [dir, tmpDir]) mkdirSync(each);
  const lifetime = new AbortController();
  const remove = () => {
    lifetime.abort();
    rmSync(base, { recursive: true, force: true });
  };
  places.push(remove);
  const tools = createHostTools({
    workDir: dir,
    env: { PATH: process.env.PATH ?? '', HOME: dir, TMPDIR: tmpDir, ...env },
    redactionMark: '***',
    randomHex: (bytes) => 'e'.repeat(bytes * 2),
    lifetime: lifetime.signal,
  });
  const bash = tools.find(({ definition }) => definition.name === 'bash');
  if (bash === undefined) throw new Error('there is no bash');
  const run = async (command: string, timeout_secs = 30, signal = new AbortController().signal): Promise<ToolOutcome> => {
    const outcome = await bash.execute({ command, timeout_secs }, { signal });
    return typeof outcome === 'string' ? { output: outcome, isError: false } : outcome;
  };
  return { dir, tmpDir, run, remove };
}

const quiet = '\n[a background process of this command is still running]';
const background = quiet.replace(']', '; what it prints from now on is lost]');

describe('how a command ended is told in fields and in words:', () => {
  test.each([
    ['true', '[exit code 0, no output]', { code: 0, signal: null, timedOut: false }],
    ['exit 3', '[exit code 3, no output]', { code: 3, signal: null, timedOut: false }],
    ['exit 300', '[exit code 44, no output]', { code: 44, signal: null, timedOut: false }],
    ['false | true', '[exit code 0, no output]', { code: 0, signal: null, timedOut: false }],
    ['sh -c "kill -9 \\$\\$" | true', '[exit code 0, no output]', { code: 0, signal: null, timedOut: false }],
    ['kill -9 $$', '[killed by SIGKILL, exit code 137, no output]', { code: null, signal: 'SIGKILL', timedOut: false }],
    [
      "exec sh -c 'kill -SEGV $$'",
      '[killed by SIGSEGV, exit code 139, no output]',
      { code: null, signal: 'SIGSEGV', timedOut: false },
    ],
    ['kill -TERM $$', '[killed by SIGTERM, exit code 143, no output]', { code: null, signal: 'SIGTERM', timedOut: false }],
    ['timeout 0.1 sleep 5', '[exit code 124, no output]', { code: 124, signal: null, timedOut: false }],
    [
      'exec 2>/dev/null; timeout -s KILL 0.1 sleep 5; exit $?',
      '[exit code 137, as after SIGKILL, no output]',
      { code: 137, signal: null, timedOut: false },
    ],
    [
      'exec 2>/dev/null; sh -c "kill -9 \\$\\$"; exit $?',
      '[exit code 137, as after SIGKILL, no output]',
      { code: 137, signal: null, timedOut: false },
    ],
    [
      "trap 'exit 0' TERM; while :; do sleep 0.05; done",
      /\[timed out after 0\.5 s and was killed/,
      { code: null, signal: null, timedOut: true },
    ],
  ])('G5-12 %s', async (command, words, exit) => {
    const outcome = await createShell().run(command, 0.5);
    expect(outcome.exit).toEqual(exit);
    expect(outcome.isError).toBe(exit.code !== 0);
    if (typeof words === 'string') expect(outcome.output).toBe(words);
    else expect(outcome.output).toMatch(words);
  });

  test('a cancel is no time limit, and a time limit no cancel', async () => {
    const { run } = createShell();
    const cancelled = await run('sleep 351', 30, AbortSignal.timeout(200));
    expect(cancelled).toEqual({
      output: '[cancelled and killed, no output]',
      isError: true,
      exit: { code: null, signal: null, timedOut: false },
    });
    expect((await run('sleep 351', 0.2)).exit).toEqual({ code: null, signal: null, timedOut: true });
  });

  test('output of which nothing can be seen is not called none', async () => {
    const { output } = await createShell().run('head -c 1000 /dev/zero; printf "\\033[0m" >&2');
    expect(output).toBe('[exit code 0, 1004 bytes of output and nothing in them to be seen]');
  });

  test('G5-12 a command that the kernel kills for want of memory is no success', async () => {
    const { run } = createShell();
    const { output, isError } = await run('ulimit -v 200000; exec python3 -c "x = bytearray(1 << 30)"');
    expect([isError, /exit code [1-9]|killed by SIG/.test(String(output))]).toEqual([true, true]);
  });
});

/** In every `sleep`, so that nothing that another run left behind is counted. */
const mark = process.pid;

describe('what a command started', () => {
  test('G5-04 dies with it at the time limit, also in a session of its own', async () => {
    const { run } = createShell();
    const { output } = await run(`setsid sleep 352.${mark}1 | setsid sh -c "sleep 352.${mark}2; true" | cat; echo x`, 0.5);
    expect(output).toMatch(/^\[timed out after 0\.5 s and was killed, no output; [^\n]+\]$/);
    expect(running(`sleep 352.${mark}`)).toEqual([]);
  });

  test('G5-04 dies with it when it is cancelled, also where it ignores the TERM', async () => {
    const { run } = createShell();
    const { output } = await run(
      `trap "" TERM; setsid sh -c "trap '' TERM; while :; do sleep 353.${mark}; done" & wait`,
      30,
      AbortSignal.timeout(500),
    );
    expect(output).toBe('[cancelled and killed, no output]');
    expect(running(`sleep 353.${mark}`)).toEqual([]);
  });

  test.each([
    [
      'while it makes more and more',
      `grow() { sleep 354.${mark} & sleep 0.02; grow & }; for i in 1 2 3 4 5; do grow & done; sleep 20`,
    ],
    ['in sixty sessions', `for i in $(seq 60); do setsid sleep 354.${mark} & done; wait`],
    [
      'when a trap starts one more at the TERM',
      `trap "setsid sleep 354.${mark} & echo t" TERM; sleep 354.${mark}; sleep 354.${mark}`,
    ],
    ['stopped, by itself and by another', `(kill -STOP $BASHPID; sleep 354.${mark}) & sleep 354.${mark} & kill -STOP $!; wait`],
  ])('G5-04 dies with it %s', async (_, command) => {
    const { run } = createShell();
    expect((await run(command, 0.5)).exit?.timedOut).toBe(true);
    expect(running(`sleep 354.${mark}`)).toEqual([]);
  });

  // In a session of its own it is beyond the tool, and ends soon by itself; the sweep of the tool host would find it.
  test.each([
    ['setsid', 'setsid sleep 15 & echo done'],
    ['nohup', 'nohup sleep 15 & echo done'],
    ['a shell that has ended', '(setsid sleep 15 &) ; echo done'],
    ['disown', 'sleep 15 & disown; echo done'],
    [
      'two forks',
      "python3 -c \"import os\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0: os.execvp('sleep', ['sleep', '15'])\n os._exit(0)\nos.wait()\"; echo done",
    ],
    ['only its stderr', 'setsid sleep 15 >/dev/null </dev/null & echo done'],
  ])('G5-01 and holds the pipes by %s does not hold the call, and is told', async (_, command) => {
    const { run } = createShell();
    const { output, isError } = await run(command);
    expect([String(output).replace('[stderr]\nnohup: ignoring input\n', ''), isError]).toEqual([
      `done\n[exit code 0]${background}`,
      false,
    ]);
  });

  test('G5-01 and writes to a file is told, and loses nothing', async () => {
    const { run } = createShell();
    expect((await run('(sleep 0.4; echo late) > log 2>&1 & echo done')).output).toBe(`done\n[exit code 0]${quiet}`);
    expect((await run('while [ ! -s log ]; do sleep 0.05; done; cat log')).output).toBe('late\n[exit code 0]');
  });

  test('G5-01 and ended before it is not told', async () => {
    const { run } = createShell();
    for (let round = 0; round < 20; round += 1) {
      expect((await run('sleep 0.001 & wait; echo done')).output).toBe('done\n[exit code 0]');
    }
  });
});

describe('where bash cannot be started the reason is told:', () => {
  test('an environment that is too long', async () => {
    const { run } = createShell({
      LONG: 'x'.repeat(120_000),
      ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`L${index}`, 'x'.repeat(120_000)])),
    });
    expect(await run('true')).toEqual({
      output:
        'bash: the command and its environment are too long together. Nothing was run. Write a script with write_file and run that.',
      isError: true,
    });
  });

  test('G5-20 a workspace that is a file now, or gone', async () => {
    const { dir, run } = createShell();
    rmSync(dir, { recursive: true });
    expect((await run('true')).output).toBe(`The workspace ${dir} does not exist any more; nothing can be run there.`);
    writeFileSync(dir, '');
    expect((await run('true')).output).toBe(
      `The workspace ${dir} cannot be entered any more (ENOTDIR); nothing can be run there.`,
    );
  });

  test.each([
    ['EAGAIN', /no room for one more process \(EAGAIN\)\. Nothing was run\. End what runs in the background/],
    ['EMFILE', /no room for one more process \(EMFILE\)/],
    ['EACCES', /^The workspace \/ws cannot be entered any more \(EACCES\)/],
    ['EIO', /could not be started \(EIO\)\. Nothing was run\./],
  ])('%s', (code, words) => {
    expect(describeStart({ code }, '/ws')).toMatch(words);
  });

  test('where there is no room for pipes of ours it runs all the same', async () => {
    const { dir, run } = createShell({ TMPDIR: '/proc/harness9-no-such-folder' });
    const { output } = await run('echo out; echo err >&2; read -u 2 x; echo read $?; pwd');
    expect(output).toBe(`out\nread 1\n${dir}\n[stderr]\nerr\n[exit code 0]`);
    const long = String((await run('seq 1 20000')).output);
    expect(long).toMatch(/bytes omitted, and not kept: .*ENOENT.* …\]/);
  });

  test('the pipes are nowhere that a command could find them, and are closed at the end', async () => {
    const descriptors = () => readdirSync('/proc/self/fd').length;
    const before = descriptors();
    const { tmpDir, run, remove } = createShell();
    for (let round = 0; round < 20; round += 1) {
      expect((await run('ls -A "$TMPDIR"; echo err > /dev/stderr')).output).toBe('[stderr]\nerr\n[exit code 0]');
    }
    expect(readdirSync(tmpDir)).toEqual([]);
    remove();
    while (descriptors() > before) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('where a command took the folder for them away, or put a link there, it runs all the same', async () => {
    const { dir, tmpDir, run } = createShell();
    await run(`rm -rf ${tmpDir}; ln -s ${dir} ${tmpDir}`);
    for (let round = 0; round < 10; round += 1) expect((await run('echo hi; ls')).output).toBe('hi\n[exit code 0]');
    await run(`rm ${tmpDir}`);
    for (let round = 0; round < 10; round += 1) expect((await run('echo hi; ls')).output).toBe('hi\n[exit code 0]');
    expect(readdirSync(dir)).toEqual([]);
  });
});
