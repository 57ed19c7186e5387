import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { protocolVersion } from '../../src/sandbox/protocol.ts';
import type { ProcessRequest } from '../../src/schema/running-process.ts';
import { createRandom } from '../tools/random.ts';
import type { HostFixture } from './host-fixture.ts';
import { entry, useHosts } from './host-fixture.ts';
import { finish, finishText, isDead, never, readLines, until } from './running.ts';

const start = useHosts();

const sh = (script: string): ProcessRequest => ({ argv: ['/bin/sh', '-c', script] });
const node = (script: string): ProcessRequest => ({ argv: [process.execPath, '-e', script] });
const failed = (reason: string) => ({ kind: 'failed', reason });
const textOf = (text: string) => Buffer.from(text).toString('base64');
const rssMb = () => process.memoryUsage().rss / 1024 / 1024;

describe('when the tool host ends', () => {
  test.each(['auto', 'none'] as const)(
    'at the level %s every process fails with the reason and dies; new ones start in the new host',
    async (level) => {
      const { host, log } = await start({ level });
      const sleepers = [
        host.startProcess(sh('echo $$ $PPID; exec sleep 340'), never),
        host.startProcess(sh('echo $$; setsid sleep 341'), never),
      ];
      const [[first = ''] = [], [second = ''] = []] = await Promise.all(sleepers.map(({ stdout }) => readLines(stdout, 1)));
      const [pid = '', hostPid = ''] = first.split(' ');
      process.kill(Number(hostPid), 'SIGKILL');
      const gone = failed('the tool host ended (signal SIGKILL)');
      expect(await Promise.all(sleepers.map(({ end }) => end))).toEqual([gone, gone]);
      expect(await Promise.all(sleepers.map(async (sleeper) => finishText(sleeper, 'unread')))).toEqual(
        sleepers.map(() => ({ stdout: '', stderr: '', end: gone })),
      );
      const { stdout, end } = await finishText(host.startProcess(sh('echo $PPID'), never));
      expect([stdout === `${hostPid}\n`, end]).toEqual([false, { kind: 'exit', code: 0 }]);
      // The sweep came before the new host.
      expect([isDead(pid), isDead(second)]).toEqual([true, true]);
      const last = host.startProcess(sh('echo $$; exec sleep 342'), never);
      const [orphan = ''] = await readLines(last.stdout, 1);
      process.kill(Number(stdout), 'SIGKILL');
      expect([await last.end, await host.startProcess(sh('true'), never).end]).toEqual([gone, gone]);
      await until(() => isDead(orphan));
      expect(log).toEqual(['[tool-host] ended: signal SIGKILL', '[tool-host] ended: signal SIGKILL']);
    },
  );

  test('a host that cannot start lets every process fail', async () => {
    const { host } = await start({ entry: '/nowhere/tool-host.js' });
    const ends = await Promise.all([1, 2, 3].map(async () => host.startProcess(sh('true'), never).end));
    expect(ends).toEqual(Array.from({ length: 3 }, () => failed('the tool host ended (exit code 1)')));
  });

  test.each(['auto', 'none'] as const)(
    'at the level %s close kills the processes in the middle of their output, and its sweep finds none',
    async (level) => {
      const { host } = await start({ level });
      const talkers = Array.from({ length: 5 }, () =>
        host.startProcess(sh(`trap '' TERM; echo $$; while :; do echo talk; done`), never),
      );
      const pids = await Promise.all(talkers.map(async ({ stdout }) => (await readLines(stdout, 1))[0] ?? ''));
      for (const { stdout } of talkers) stdout.resume();
      const { killed, survivors } = await host.close();
      expect({ killed, survivors, dead: pids.map(isDead) }).toEqual({ killed: [], survivors: [], dead: pids.map(() => true) });
      const closed = failed('the tool host was closed');
      expect(await Promise.all(talkers.map(({ end }) => end))).toEqual(talkers.map(() => closed));
      expect(await host.startProcess(sh('true'), never).end).toEqual(failed('the tool host is closed'));
    },
  );

  test('close lets a process tidy up before it dies', async () => {
    const { host, dir } = await start();
    const script = 'process.on("SIGTERM", () => { require("fs").writeFileSync("tidy", ""); process.exit(); });';
    const running = host.startProcess(node(`${script} setInterval(() => {}, 1e6); console.log("up")`), never);
    await readLines(running.stdout, 1);
    await host.close();
    expect(existsSync(path.join(dir, 'tidy'))).toBe(true);
  });

  test('a main process that dies takes them with it, in the middle of a flood, though they ignore the TERM', async () => {
    const { dir } = await start();
    const options = JSON.stringify({ version: protocolVersion, workDir: dir, tools: [], redactionMark: '***' });
    const host = spawn(process.execPath, [entry, options], { stdio: ['pipe', 'pipe', 'ignore'] });
    const pidFile = path.join(dir, 'pid');
    const script = `trap '' TERM; echo $$ > pid; while :; do echo flood; done`;
    host.stdin.write(`${JSON.stringify({ type: 'process_start', id: 1, argv: ['sh', '-c', script], env: {} })}\n`);
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'));
    const pid = readFileSync(pidFile, 'utf8').trim();
    // As the kernel does it for a dead process: both ends at once, nothing read any more.
    host.stdout.destroy();
    host.stdin.destroy();
    await once(host, 'exit');
    await until(() => isDead(pid));
  });

  test('close before the host is ready ends what waits for it', async () => {
    const { host } = await start();
    const running = host.startProcess(sh('exec sleep 343'), never);
    await host.close();
    expect(await running.end).toEqual(failed('the tool host was closed'));
  });

  test('C10 what went into a session of its own is dead after close, and named', async () => {
    const { host } = await start();
    const running = host.startProcess(sh('(setsid sleep 344 & echo $!); exec sleep 345'), never);
    const [pid = ''] = await readLines(running.stdout, 1);
    await until(() => /^sleep 344/m.test(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })));
    expect(await host.close()).toEqual({ killed: [{ pid: Number(pid), command: 'sleep 344' }], survivors: [] });
    expect(isDead(pid)).toBe(true);
  });
});

describe('output without end', () => {
  test.each(['auto', 'none'] as const)(
    'at the level %s an unread flood is killed, and our memory stays bounded',
    async (level) => {
      const { host, call } = await start({ level });
      await call('bash', { command: 'true' });
      const before = rssMb();
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, rssMb() - before);
      }, 5);
      const flood = host.startProcess({ argv: ['yes', 'a line that nobody reads'] }, never);
      const end = await flood.end;
      clearInterval(watch);
      expect(end).toEqual(failed('it was killed: over 32 MB of its output were not read'));
      expect(peak).toBeLessThan(250);
      // What came before is there to be read.
      let bytes = 0;
      for await (const chunk of flood.stdout) bytes += chunk.length;
      expect(bytes / 1024 / 1024).toBeGreaterThan(30);
      expect(bytes / 1024 / 1024).toBeLessThan(33);
      expect((await call('bash', { command: 'pgrep -fx "yes a line that nobody reads" || echo none' })).text).toContain(
        'none\n[exit code 0]',
      );
    },
  );

  test('a flood that is read goes on beyond the bound, and calls are answered meanwhile', async () => {
    const { host, call } = await start();
    const flood = host.startProcess(sh('head -c 80000000 /dev/zero'), never);
    let bytes = 0;
    flood.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    expect((await call('bash', { command: 'echo meanwhile' })).text).toBe('meanwhile\n[exit code 0]');
    expect([await flood.end, bytes]).toEqual([{ kind: 'exit', code: 0 }, 80_000_000]);
  });

  test('a reader that went away holds up nothing', async () => {
    const { host } = await start();
    const flood = host.startProcess(sh('head -c 80000000 /dev/zero; echo done >&2'), never);
    flood.stdout.destroy();
    expect((await readLines(flood.stderr, 1))[0]).toBe('done');
    expect(await flood.end).toEqual({ kind: 'exit', code: 0 });
  });
});

describe('random interleavings', () => {
  const sizes = [1, 2, 1000, 65_535, 65_536, 65_537, 200_000] as const;
  /** Says everything that it hears on both streams, in pieces of its own. */
  const echo = node(`
    process.stdin.on('data', (chunk) => {
      for (let at = 0; at < chunk.length; ) {
        const size = 1 + Math.floor(Math.random() * 70_000);
        process.stdout.write(chunk.subarray(at, at + size));
        at += size;
      }
      process.stderr.write(chunk);
    });`);

  test('of chunks, pauses and processes: everything arrives in order and whole', async () => {
    const { host } = await start();
    const talk = async (seed: number) => {
      const random = createRandom(seed);
      const running = host.startProcess(echo, never);
      const heard = Promise.all([readAtRandom(running.stdout, random), readAtRandom(running.stderr, random), running.end]);
      const said: Buffer[] = [];
      for (let turn = 0; turn < 40; turn += 1) {
        const chunk = randomBytes(random.below(3) === 0 ? random.pick(sizes) : random.below(5000));
        said.push(chunk);
        running.stdin.write(chunk);
        for (let pause = random.below(3); pause > 0; pause -= 1) await nextTurn();
      }
      running.stdin.end();
      const [stdout, stderr, end] = await heard;
      const all = Buffer.concat(said);
      return [stdout.equals(all), stderr.equals(all), end];
    };
    const seeds = Array.from({ length: 12 }, (_, seed) => seed);
    expect(await Promise.all(seeds.map(talk))).toEqual(seeds.map(() => [true, true, { kind: 'exit', code: 0 }]));
  });

  async function readAtRandom(stream: AsyncIterable<Buffer>, random: ReturnType<typeof createRandom>): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) {
      chunks.push(chunk);
      for (let pause = random.below(4); pause > 0; pause -= 1) await nextTurn();
    }
    return Buffer.concat(chunks);
  }
});

describe('a host that was taken over', () => {
  const places = mkdtempSync(path.join(os.tmpdir(), 'harness9-liar-'));
  afterAll(() => rmSync(places, { recursive: true, force: true }));

  /** A host that says hello, and then runs `onMessage` for every message, with `say` and `id`, the process's. */
  async function startLiar(onMessage: string): Promise<HostFixture> {
    const liar = path.join(places, `${randomBytes(4).toString('hex')}.mjs`);
    writeFileSync(
      liar,
      `import { createInterface } from 'node:readline';
      const say = (message) => process.stdout.write((typeof message === 'string' ? message : JSON.stringify(message)) + '\\n');
      say({ type: 'hello', version: ${protocolVersion} });
      createInterface({ input: process.stdin }).on('line', (line) => {
        const message = JSON.parse(line);
        const id = message.id;
        ${onMessage}
      }).on('close', () => process.exit());`,
    );
    return start({ entry: liar });
  }

  test('is heard only where it makes sense: strange ids, broken lines, output after the end are passed over', async () => {
    const { host } = await startLiar(`
      if (message.type !== 'process_start') return;
      const out = (data, stream = 'stdout', to = id) => say({ type: 'process_output', id: to, stream, data });
      out('${textOf('stranger')}', 'stdout', id + 1);
      out('${textOf('stranger')}', 'stdout', -1);
      out('${textOf('a')}');
      out('${textOf('no stream')}', 'stdin');
      out('not base64!');
      out('\\n::add-mask::');
      out('A'.repeat(100_000));
      out(['YQ==']);
      out({});
      say({ type: 'process_output', stream: 'stdout', data: '${textOf('no id')}' });
      say('{"type":"process_output","id":' + id + ',"stream":"stdout","data":"YQ=');
      say({ type: 'process_input_taken', id });
      say({ type: 'process_input_taken', id: 99 });
      say({ type: 'process_end', id: 99, end: { kind: 'exit', code: 0 } });
      for (const end of [null, 'exit', {}, { kind: 'exit' }, { kind: 'exit', code: '0' }, { kind: 'signal', signal: 'a\\nb' }, { kind: 'failed' }])
        say({ type: 'process_end', id, end });
      out('');
      out('${textOf('b')}');
      say({ type: 'process_end', id, end: { kind: 'failed', reason: 'a\\n::error::\\u001b[31m' + 'x'.repeat(1000) } });
      out('${textOf('after the end')}');
      say({ type: 'process_end', id, end: { kind: 'exit', code: 0 } });`);
    const running = host.startProcess(sh('true'), never);
    expect(await finishText(running, 'input')).toEqual({
      stdout: 'ab',
      stderr: '',
      end: failed(`a ::error:: [31m${'x'.repeat(283)}…`),
    });
    expect((await finishText(host.startProcess(sh('true'), never))).stdout).toBe('ab');
  });

  test('fills no memory with single bytes', async () => {
    const { host } = await startLiar(`
      if (message.type === 'process_start')
        for (let count = 0; count < 150_000; count += 1) say({ type: 'process_output', id, stream: 'stderr', data: 'eA==' });
      if (message.type === 'process_kill') say({ type: 'process_end', id, end: { kind: 'exit', code: 0 } });`);
    const running = host.startProcess(sh('true'), never);
    expect(await running.end).toEqual(failed('it was killed: over 32 MB of its output were not read'));
    expect((await finish(running)).stderr.length).toBeLessThan(150_000);
  });

  test('that writes a line without end is ended, and its processes fail', async () => {
    const { host } = await startLiar(`
      if (message.type === 'process_start') setInterval(() => process.stdout.write('x'.repeat(1 << 20)), 1);`);
    // It may fall over its broken pipe before the kill comes.
    const reason = expect.stringMatching(/^the tool host ended \((signal SIGKILL|exit code 1)\)$/);
    expect(await host.startProcess(sh('true'), never).end).toEqual({ kind: 'failed', reason });
  });

  test('that never tells of the end does not make a kill wait for ever', async () => {
    const { host } = await startLiar(
      `if (message.type === 'process_start') say({ type: 'process_output', id, stream: 'stdout', data: 'YQo=' });`,
    );
    const running = host.startProcess(sh('true'), never);
    await readLines(running.stdout, 1);
    running.kill();
    expect(await running.end).toEqual(failed('it was to be killed, and the tool host did not say in time that it is dead'));
  });
});
