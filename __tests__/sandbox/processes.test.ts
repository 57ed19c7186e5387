import { createHash, randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { markerVariable } from '../../src/sandbox/kill-sweep.ts';
import type { ProcessRequest, RunningProcess } from '../../src/schema/running-process.ts';
import { useHosts } from './host-fixture.ts';
import { finish, finishText, isDead, never, readLines, until } from './running.ts';

const start = useHosts();

const sh = (script: string, env?: Readonly<Record<string, string>>): ProcessRequest => ({
  argv: ['/bin/sh', '-c', script],
  env,
});
const node = (script: string): ProcessRequest => ({ argv: [process.execPath, '-e', script] });
const digest = (bytes: Uint8Array) => [bytes.length, createHash('sha256').update(bytes).digest('hex')];
const failed = (reason: unknown) => ({ kind: 'failed', reason });

describe.each(['auto', 'none'] as const)('a process beside the tools at the level %s', (level) => {
  const run = async (request: ProcessRequest): Promise<RunningProcess> => {
    const { host } = await start({ level });
    return host.startProcess(request, never);
  };

  test('gives back 5 MB of arbitrary bytes as they came, on both streams', async () => {
    const bytes = randomBytes(5 * 1024 * 1024);
    const cat = await finish(await run({ argv: ['cat'] }), bytes);
    expect([digest(cat.stdout), digest(cat.stderr), cat.end]).toEqual([
      digest(bytes),
      digest(Buffer.of()),
      { kind: 'exit', code: 0 },
    ]);
    const { stderr } = await finish(await run({ argv: ['sh', '-c', 'cat >&2'] }), bytes);
    expect(digest(stderr)).toEqual(digest(bytes));
  });

  test('tells its exit code, and the signal that ended it', async () => {
    const { host } = await start({ level });
    const ends = await Promise.all(
      ['exit 0', 'exit 7', 'exit 255', 'kill -KILL $$', 'kill -SEGV $$', 'kill -TERM $$'].map(
        async (script) => host.startProcess(sh(script), never).end,
      ),
    );
    expect(ends).toEqual([
      { kind: 'exit', code: 0 },
      { kind: 'exit', code: 7 },
      { kind: 'exit', code: 255 },
      { kind: 'signal', signal: 'SIGKILL' },
      { kind: 'signal', signal: 'SIGSEGV' },
      { kind: 'signal', signal: 'SIGTERM' },
    ]);
  });

  test('starts in the workspace, without a shell between, in a session of its own without a terminal', async () => {
    const { host, dir } = await start({ level });
    const { stdout } = await finishText(
      host.startProcess(
        { argv: ['/bin/sh', '-c', 'pwd; printf "<%s>" "$@"; ps -o sid= -p $$; echo $$', '-', 'a b', '$HOME', ''] },
        never,
      ),
    );
    const [cwd, ...rest] = stdout.split('\n');
    expect(cwd).toBe(dir);
    const [arguments_, session] = (rest[0] ?? '').split(/(?<=<>)/);
    expect([arguments_, Number(session)]).toEqual(['<a b><$HOME><>', Number(rest[1])]);
    expect((await finishText(host.startProcess(sh('cat < /dev/tty || echo none'), never))).stdout).toBe('none\n');
  });

  test('C1 G5-13 sees a clean environment and what was given, no key of ours', async () => {
    const canary = 'canary-91c2';
    const env = {
      ...process.env,
      INPUT_API_KEY: canary,
      GITHUB_TOKEN: canary,
      ANTHROPIC_API_KEY: canary,
      HOME: '/home/of-the-user',
    };
    const { host } = await start({ level, env });
    const { stdout } = await finishText(
      host.startProcess(sh('env; echo; echo "$GIVEN"', { GIVEN: 'tëxt\nof two lines', LANG: 'C' }), never),
    );
    expect(stdout).not.toContain(canary);
    expect(stdout).not.toContain('/home/of-the-user');
    expect(stdout).toMatch(/^PATH=/m);
    expect(stdout).toMatch(/^LANG=C$/m);
    expect(stdout.endsWith('\ntëxt\nof two lines\n')).toBe(true);
  });

  test('G5-06 can open its own streams by their names, and finds no input in its outputs', async () => {
    const { stdout, stderr, end } = await finishText(
      await run(sh('echo out > /dev/stdout; echo err > /dev/stderr; read x <&2 2>/dev/null || echo none')),
    );
    expect([stdout, stderr, end]).toEqual(['out\nnone\n', 'err\n', { kind: 'exit', code: 0 }]);
  });

  test('cannot be given another mark than the one by which it is found in the end', async () => {
    const { stdout } = await finishText(await run(sh(`echo $${markerVariable}`, { [markerVariable]: 'stranger' })));
    expect(stdout).toMatch(/^[0-9a-f]{32}\/beside\n$/);
  });

  test('is told by its end that it could not be started, with the reason', async () => {
    const { host } = await start({ level });
    const requests: ProcessRequest[] = [
      { argv: ['/nowhere/at-all'] },
      { argv: ['no-such-program-anywhere'] },
      { argv: ['/'] },
      { argv: ['echo', 'nul \0 inside'] },
      { argv: [''] },
      { argv: ['echo', 'x'.repeat(200_000)] },
      { argv: ['echo'], env: { BIG: 'x'.repeat(17 * 1024 * 1024) } },
    ];
    const ends = await Promise.all(requests.map((request) => finishText(host.startProcess(request, never), 'unread')));
    const refused = (reason: unknown) => ({ stdout: '', stderr: '', end: failed(reason) });
    expect(ends).toEqual([
      refused('there is no program "/nowhere/at-all", or none that it runs with (ENOENT)'),
      refused('there is no program "no-such-program-anywhere", or none that it runs with (ENOENT)'),
      refused('"/" is not allowed to be run (EACCES)'),
      refused(expect.stringContaining('null bytes')),
      refused(expect.stringMatching(/./)),
      refused(expect.stringContaining('E2BIG')),
      refused('its command line and environment are too long'),
    ]);
    // The host has lived through all of them.
    expect((await finishText(host.startProcess(sh('echo well'), never))).stdout).toBe('well\n');
  });

  test('twenty run at once, each with its own input, output and end', async () => {
    const { host } = await start({ level });
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        finishText(host.startProcess(sh(`cat; echo err ${at} >&2; exit ${at}`), never), `line ${at}\n`.repeat(1000)),
      ),
    );
    expect(results).toEqual(
      Array.from({ length: 20 }, (_, at) => ({
        stdout: `line ${at}\n`.repeat(1000),
        stderr: `err ${at}\n`,
        end: { kind: 'exit', code: at },
      })),
    );
  });

  test('answers line by line, and what was written before the host was ready is not lost', async () => {
    const running = await run(node('process.stdin.on("data", (c) => process.stdout.write(String(c).toUpperCase()))'));
    running.stdin.write('one\n');
    expect(await readLines(running.stdout, 1)).toEqual(['ONE']);
    running.stdin.write('two\n');
    expect(await readLines(running.stdout, 1)).toEqual(['TWO']);
    running.stdin.end();
    expect(await running.end).toEqual({ kind: 'exit', code: 0 });
  });

  test('G5-03 G5-04 kill ends it with all that it started, though they do not want to; twice is once', async () => {
    const running = await run(
      sh(
        `trap '' TERM; sh -c "trap '' TERM; echo \\$\\$; while :; do sleep 0.1; done" & sleep 330 & echo $!; echo $$; while :; do sleep 0.1; done`,
      ),
    );
    const pids = await readLines(running.stdout, 3);
    expect(pids.map(isDead)).toEqual([false, false, false]);
    running.kill();
    running.kill();
    expect(await running.end).toEqual({ kind: 'signal', signal: 'SIGKILL' });
    expect(pids.map(isDead)).toEqual([true, true, true]);
    running.kill();
    expect(await running.end).toEqual({ kind: 'signal', signal: 'SIGKILL' });
  });

  test('a process that ends itself on the TERM has its own end, and its last words', async () => {
    const script = 'process.on("SIGTERM", () => { console.log("bye"); process.exitCode = 3; clearInterval(life); });';
    const running = await run(node(`${script} const life = setInterval(() => {}, 1e6); console.log("up")`));
    const lines = await readLines(running.stdout, 1);
    running.kill();
    expect([lines, await finishText(running)]).toEqual([['up'], { stdout: 'bye\n', stderr: '', end: { kind: 'exit', code: 3 } }]);
  });

  test('an abort kills it; an abort before the start lets nothing begin', async () => {
    const { host, dir } = await start({ level });
    const controller = new AbortController();
    const running = host.startProcess(sh('echo $$; sleep 331'), controller.signal);
    const [pid = ''] = await readLines(running.stdout, 1);
    controller.abort();
    expect(await running.end).toEqual({ kind: 'signal', signal: 'SIGTERM' });
    expect(isDead(pid)).toBe(true);
    const never_ = host.startProcess(sh('touch began'), controller.signal);
    expect(await finishText(never_, 'unread')).toEqual({
      stdout: '',
      stderr: '',
      end: failed('it was cancelled before it began'),
    });
    expect(existsSync(path.join(dir, 'began'))).toBe(false);
  });

  test('an abort while the host still starts is an end at once, and nothing begins', async () => {
    const { host, dir } = await start({ level });
    const running = host.startProcess(sh('touch began'), never);
    running.kill();
    expect(await running.end).toEqual(failed('it was cancelled before it began'));
    expect((await finishText(host.startProcess(sh('ls'), never))).stdout).toBe('');
    expect(existsSync(path.join(dir, 'began'))).toBe(false);
  });

  test('G5-01 a grandchild that holds the pipes does not hold the end; what is left of its group dies with it', async () => {
    const { host } = await start({ level });
    const same = await finishText(host.startProcess(sh('sleep 332 & echo $!'), never));
    expect(same.end).toEqual({ kind: 'exit', code: 0 });
    await until(() => isDead(same.stdout.trim()));
    const other = await finishText(host.startProcess(sh('setsid sleep 333 & echo said; sleep 0.2'), never));
    expect(other).toEqual({ stdout: 'said\n', stderr: '', end: { kind: 'exit', code: 0 } });
  });

  test('G5-22 all that was written before the end is there, though it ended at once and the reader is late', async () => {
    const running = await run(node('process.stdout.write("x".repeat(1 << 20)); process.stderr.write("e".repeat(1 << 20));'));
    expect(await running.end).toEqual({ kind: 'exit', code: 0 });
    const { stdout, stderr } = await finish(running);
    expect([stdout.length, stderr.length]).toEqual([1 << 20, 1 << 20]);
  });

  test('input to a process that has gone, or has closed it, is silent', async () => {
    const { host } = await start({ level });
    const gone = host.startProcess(sh('exit 0'), never);
    expect(await gone.end).toEqual({ kind: 'exit', code: 0 });
    const deaf = host.startProcess(sh('exec <&-; echo closed; sleep 0.5; echo over'), never);
    await readLines(deaf.stdout, 1);
    const written = [gone, deaf].map(
      ({ stdin }) => new Promise((resolve) => stdin.write(randomBytes(1024 * 1024), (error) => resolve(error ?? 'written'))),
    );
    expect(await Promise.all(written)).toEqual(['written', 'written']);
    expect(await finishText(deaf)).toEqual({ stdout: 'over\n', stderr: '', end: { kind: 'exit', code: 0 } });
  });

  test('a writer that gives up is the end of the input', async () => {
    const { host } = await start({ level });
    const [early, late] = [host.startProcess({ argv: ['cat'] }, never), host.startProcess({ argv: ['cat'] }, never)];
    early.stdin.destroy();
    late.stdin.write('said\n');
    expect(await readLines(late.stdout, 1)).toEqual(['said']);
    late.stdin.destroy();
    expect(await Promise.all([early.end, late.end])).toEqual([
      { kind: 'exit', code: 0 },
      { kind: 'exit', code: 0 },
    ]);
  });

  test('input that is never read waits at the writer, holds up nobody, and ends with the process', async () => {
    const { host, call } = await start({ level });
    const deaf = host.startProcess(sh('exec sleep 334'), never);
    let isTaken = false;
    deaf.stdin.write(randomBytes(8 * 1024 * 1024), () => {
      isTaken = true;
    });
    expect((await finishText(host.startProcess({ argv: ['cat'] }, never), 'others')).stdout).toBe('others');
    expect((await call('bash', { command: 'echo calls' })).text).toBe('calls\n[exit code 0]');
    expect([isTaken, deaf.stdin.writableNeedDrain]).toEqual([false, true]);
    deaf.kill();
    expect(await deaf.end).toEqual({ kind: 'signal', signal: 'SIGTERM' });
    await until(() => isTaken);
  });
});

describe('a process at the level readonly', () => {
  test('is refused with a clear end, and the tools go on', async () => {
    const { host, dir, call } = await start({ level: 'readonly' });
    const running = host.startProcess(sh('touch began'), never);
    expect(await finishText(running, 'unread')).toEqual({
      stdout: '',
      stderr: '',
      end: failed('the sandbox level readonly runs no processes'),
    });
    running.kill();
    expect((await call('write_file', { path: 'a', content: 'x' })).isError).toBe(false);
    expect(existsSync(path.join(dir, 'began'))).toBe(false);
  });
});

describe('a process at the level process', () => {
  test('C4 can gain no privileges', async () => {
    const { host } = await start();
    const { stdout } = await finishText(host.startProcess({ argv: ['grep', 'NoNewPrivs', '/proc/self/status'] }, never));
    expect(stdout).toBe('NoNewPrivs:\t1\n');
  });

  test('runs a script of the workspace by its relative path', async () => {
    const { host, dir } = await start();
    writeFileSync(path.join(dir, 'hook'), '#!/bin/sh\ncat\n', { mode: 0o755 });
    expect((await finishText(host.startProcess({ argv: ['./hook'] }, never), '{}')).stdout).toBe('{}');
  });
});
