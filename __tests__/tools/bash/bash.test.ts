import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { running } from '../../sandbox/running.ts';
import { createWorkspace, useWorkspace } from '../workspace.ts';

const workspace = useWorkspace();

const bash = (command: string, timeout?: number) =>
  workspace().call('bash', { command, ...(timeout === undefined ? {} : { timeout_secs: timeout }) });

describe('bash', () => {
  test('[spec 003 bash] says output and exit code, and that there was no output', async () => {
    expect(await bash('echo hi')).toEqual({ text: 'hi\n[exit code 0]', isError: false });
    expect(await bash('true')).toEqual({ text: '[exit code 0, no output]', isError: false });
    expect(await bash('printf x; exit 3')).toEqual({ text: 'x\n[exit code 3]', isError: true });
  });

  test.each([
    ['sleep 311 & echo done', /^done\n/],
    ['python3 -m http.server 0 --bind 127.0.0.1 & echo $!', /^\d+\n/],
    ['sleep 312 </dev/null >/dev/null & echo x', /^x\n/],
  ])('G5-01 %s returns with the shell and says that something is left', async (command, start) => {
    const { text, isError } = await bash(command);
    expect([
      start.test(text),
      text.endsWith('[exit code 0]\n[a background process of this command is still running; what it prints from now on is lost]'),
      isError,
    ]).toEqual([true, true, false]);
  });

  test('G5-01 a background process can write on after the call without dying of it', async () => {
    const { at } = workspace();
    await bash('(sleep 0.2; echo late; echo late; touch survived) & echo now');
    await bash('for i in $(seq 50); do [ -e survived ] && break; sleep 0.1; done');
    expect((await workspace().call('read_file', { path: at('survived') })).text).toBe('(empty file)');
  });

  test('what is left in the background dies with the lifetime of the tools', async () => {
    const own = createWorkspace();
    try {
      await own.call('bash', { command: 'sleep 313 & sleep 313 & echo' });
      // The call ends with the shell, which may be before its children have become what they are to be.
      while (running('sleep 313').length < 2) await bash('sleep 0.02');
    } finally {
      own.remove();
    }
    while (running('sleep 313').length > 0) await bash('sleep 0.02');
  });

  test('G5-03 a command that ignores TERM, and its children, are killed after a grace', async () => {
    const { text, isError } = await bash(
      "trap '' TERM; echo begun; (trap '' TERM; sleep 314.5) & while :; do sleep 314.25; done",
      0.3,
    );
    expect([text.startsWith('begun\n[timed out after 0.3 s and was killed;'), isError]).toEqual([true, true]);
    expect(running('sleep 314')).toEqual([]);
  });

  test('G5-04 a pipeline that runs out of time leaves nothing behind', async () => {
    const { text } = await bash('yes harness9-g504 | cat > /dev/null; echo x', 0.3);
    expect(text).toContain('timed out after 0.3 s');
    expect(running('yes harness9-g504')).toEqual([]);
  });

  test('an abort ends the command with what it has said so far', async () => {
    const controller = new AbortController();
    const { call, at } = workspace();
    const waiting = call('bash', { command: 'echo begun; touch begun; sleep 315' }, controller.signal);
    await call('bash', { command: `while [ ! -e ${at('begun')} ]; do sleep 0.02; done` });
    controller.abort();
    expect(await waiting).toEqual({ text: 'begun\n[cancelled and killed]', isError: true });
    expect(running('sleep 315')).toEqual([]);
  });

  test('an abort by a caller with the same time limit is told as the time limit', async () => {
    const { text } = await workspace().call('bash', { command: 'sleep 317', timeout_secs: 2 }, AbortSignal.timeout(1_990));
    expect(text).toMatch(/^\[timed out after 2 s/);
  });

  test('G5-08 escape codes go, and redraws leave their last state', async () => {
    const { text } = await bash(
      "printf '\\033[31mred\\033[0m\\n\\033]0;title\\007x\\n\\033[2K\\033[0Ay\\n'; for i in $(seq 500); do printf '\\r%d%%' $i; done; printf '\\na\\r\\nab\\bc\\n'",
    );
    expect(text).toBe('red\nx\ny\n500%\na\nac\n[exit code 0]');
  });

  test('G5-09 a character that is written in two pieces stays whole, on both streams at once', async () => {
    writeFileSync(
      workspace().at('w.py'),
      [
        'import os, time',
        "b = '🌍'.encode()",
        "os.write(1, b'a' * 4095 + b[:2]); os.write(2, b[:2]); time.sleep(0.1)",
        'os.write(1, b[2:]); os.write(2, b[2:])',
      ].join('\n'),
    );
    expect((await bash('python3 w.py')).text).toBe(`${'a'.repeat(4095)}🌍\n[stderr]\n🌍\n[exit code 0]`);
  });

  test('G5-11 bytes that are no text become a replacement, and the exit code stays', async () => {
    expect(await bash("printf 'ok \\xe9\\n'; exit 3")).toEqual({ text: 'ok \uFFFD\n[exit code 3]', isError: true });
    expect((await bash("printf 'cut \\xf0\\x9f'")).text).toBe('cut \uFFFD\n[exit code 0]');
  });

  test('G5-12 a death by signal is a failure with its name', async () => {
    expect(await bash('kill -9 $$')).toEqual({ text: '[killed by SIGKILL, exit code 137, no output]', isError: true });
    expect(await bash('kill -SEGV $$')).toEqual({ text: '[killed by SIGSEGV, exit code 139, no output]', isError: true });
    const { text, isError } = await bash("bash -c 'kill -TERM $$'; echo after $?");
    expect([text.includes('after 143\n'), text.endsWith('[exit code 0]'), isError]).toEqual([true, true, false]);
  });

  test('[spec 003 bash] G5-20 every call starts anew in the workspace, and a workspace that is gone is told', async () => {
    const { dir, at } = workspace();
    mkdirSync(at('sub'));
    await bash('cd sub && export A=1');
    expect((await bash('pwd; echo "A=$A"')).text).toBe(`${dir}\nA=\n[exit code 0]`);
    await bash('mkdir t; cd t; rm -rf ../t');
    expect((await bash('ls')).text).toBe('sub\n[exit code 0]');
    rmSync(dir, { recursive: true });
    expect(await bash('ls')).toEqual({
      text: `The workspace ${dir} does not exist any more; nothing can be run there.`,
      isError: true,
    });
  });

  test('G5-22 both streams are there, and nothing that was written before the end is lost', async () => {
    expect((await bash('for i in 1 2 3; do echo o$i; echo e$i >&2; done')).text).toBe(
      'o1\no2\no3\n[stderr]\ne1\ne2\ne3\n[exit code 0]',
    );
    const sizes = new Set<string>();
    for (let round = 0; round < 8; round += 1) {
      const { text } = await bash('head -c 1048576 /dev/zero | tr "\\0" a; sleep 316 & echo end');
      sizes.add(`${/\[… (\d+) bytes omitted/.exec(text)?.[1]} ${text.includes('aend\n')}`);
    }
    expect([...sizes]).toEqual(['1032580 true']);
  });

  // The shell ends before they do.
  test.each([
    ['exec > >(tee log) 2>&1; echo out; sleep 0.01; echo err >&2', 'out\nerr\n[exit code 0]'],
    ['seq 3 > >(sed s/^/x/); exit 2', 'x1\nx2\nx3\n[exit code 2]'],
    ['echo err 2> >(cat >&2) >&2', '[stderr]\nerr\n[exit code 0]'],
    ['(sleep 0.05; echo late) &', 'late\n[exit code 0]'],
    ['(true &)', '[exit code 0, no output]'],
    ['seq 20000 > >(sleep 0.1; tail -n 1)', '20000\n[exit code 0]'],
  ])(
    'G5-22 what a process substitution writes when the shell has ended is in, and is no background: %s',
    async (command, text) => {
      for (let round = 0; round < 5; round += 1) expect((await bash(command)).text).toBe(text);
    },
  );

  test('empty, malformed and oversized commands are not run', async () => {
    expect((await bash('  ')).text).toContain('- "command" is "  "; expected:');
    expect((await bash('a\0b')).text).toContain('NUL');
    expect((await bash(`echo ${'x'.repeat(131_072)}`)).text).toContain('over 128 KB');
    expect((await bash('true', -1)).isError).toBe(true);
  });

  test('D9 memory stays bounded whatever a command prints, on both streams at once', async () => {
    await bash('seq 100000; seq 100000 >&2');
    const before = process.memoryUsage().rss;
    const { text } = await bash('yes | head -c 500000000 & yes | head -c 500000000 >&2; wait');
    expect(text.match(/bytes omitted/g)).toHaveLength(2);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });
});
