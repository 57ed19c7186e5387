import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { protocolVersion } from '../../src/sandbox/protocol.ts';
import { hostToolDefinitions } from '../../src/tools/host-tools.ts';
import { entry, useHosts } from './host-fixture.ts';
import { running, until } from './running.ts';

const start = useHosts();

describe('tool host', () => {
  test('answers calls of all tools, several at once, each with its own id', async () => {
    const { call } = await start();
    expect(await call('write_file', { path: 'a', content: 'x\n' })).toEqual({
      text: 'Created a: 2 bytes, 1 line.',
      isError: false,
    });
    const answers = await Promise.all([
      call('bash', { command: 'until [ -e go ]; do sleep 0.02; done; echo slow' }),
      call('read_file', { path: 'a' }),
      call('bash', { command: 'touch go; echo fast' }),
      call('nope', {}),
    ]);
    expect(answers.map(({ text }) => text)).toEqual([
      'slow\n[exit code 0]',
      '1\tx\n[1 line]',
      'fast\n[exit code 0]',
      `There is no tool named "nope". Available: ${hostToolDefinitions()
        .map(({ name }) => name)
        .join(', ')}.`,
    ]);
  });

  test('C1 C2 C4 no secret of ours is in the environment of commands, host or launcher, and setuid is inert', async () => {
    const canary = 'canary-7f3a';
    const env = {
      ...process.env,
      INPUT_API_KEY: canary,
      GITHUB_TOKEN: canary,
      ACTIONS_RUNTIME_TOKEN: canary,
      OPENAI_API_KEY: canary,
    };
    const { call } = await start({ env });
    const { text } = await call('bash', {
      command:
        'env; grep NoNewPrivs /proc/self/status; tr "\\0" "\\n" < /proc/$PPID/environ; tr "\\0" " " < /proc/$PPID/cmdline; echo; echo $HOME',
    });
    expect([text.includes(canary), text.includes('NoNewPrivs:\t1'), text.includes('INPUT_'), text.includes(entry)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    expect(text).toMatch(/\/home\n\[exit code 0\]$/);
  });

  test('a tool that the run does not have is neither in the list nor there by name', async () => {
    const definitions = hostToolDefinitions().filter(({ effect }) => effect !== 'execute');
    const { host, call } = await start({ level: 'readonly', definitions });
    const names = definitions.map(({ name }) => name);
    expect(host.registry.getAvailableTools().map(({ name }) => name)).toEqual(names);
    expect(await call('bash', { command: 'touch x' })).toEqual({
      text: `There is no tool named "bash". Available: ${names.join(', ')}.`,
      isError: true,
    });
  });

  test('none runs without setpriv', async () => {
    const { call } = await start({ level: 'none' });
    expect((await call('bash', { command: 'grep NoNewPrivs /proc/self/status' })).text).toContain('NoNewPrivs:\t0');
  });

  test('how a command ended comes back as data too', async () => {
    const { host } = await start();
    const exit = async (command: string, seconds = 20) => {
      const call = { id: 'c', name: 'bash', arguments: JSON.stringify({ command, timeout_secs: seconds }) };
      return (await host.registry.execute(call, { signal: new AbortController().signal })).exit;
    };
    expect([await exit('exit 3'), await exit('kill -9 $$'), await exit('sleep 326', 0.1)]).toEqual([
      { code: 3, signal: null, timedOut: false },
      { code: null, signal: 'SIGKILL', timedOut: false },
      { code: null, signal: null, timedOut: true },
    ]);
  });

  test('an abort reaches the command, whose partial output comes back', async () => {
    const { call, dir } = await start();
    const controller = new AbortController();
    const waiting = call('bash', { command: 'echo begun; touch begun; sleep 321' }, controller.signal);
    await until(() => existsSync(path.join(dir, 'begun')));
    controller.abort();
    expect(await waiting).toEqual({ text: 'begun\n[cancelled and killed]', isError: true });
    expect(running('sleep 321')).toEqual([]);
  });

  test('a crash answers open calls, kills what was running, and the host is started once more', async () => {
    const { call, log } = await start();
    const crash = { command: 'setsid sleep 322 & kill -KILL $PPID; sleep 5' };
    const first = await call('bash', crash);
    expect(first).toEqual({
      text: 'The tool host ended (signal SIGKILL) before it answered; what the call did is not known. It is started again.',
      isError: true,
    });
    expect((await call('bash', { command: 'echo back' })).text).toBe('back\n[exit code 0]');
    expect(running('sleep 322')).toEqual([]);
    expect((await call('bash', crash)).text).toContain('It is not started again.');
    expect((await call('bash', { command: 'echo back' })).isError).toBe(true);
    expect(log).toEqual(['[tool-host] ended: signal SIGKILL', '[tool-host] ended: signal SIGKILL']);
  });

  test('a host that cannot start answers every call instead of throwing', async () => {
    const { call, log } = await start({ entry: '/nowhere/tool-host.js' });
    expect(await call('bash', { command: 'true' })).toMatchObject({ isError: true });
    expect(await call('bash', { command: 'true' })).toMatchObject({ isError: true });
    expect(log.join('\n')).toContain('Cannot find module');
  });

  test('a call that is called off while the host starts is answered at once, and nothing is done', async () => {
    const { dir } = await start();
    const [sleeper, came] = [path.join(dir, 'sleeper.mjs'), path.join(dir, 'came')];
    writeFileSync(
      sleeper,
      `import { writeFileSync } from 'node:fs'; process.stdin.on('data', () => writeFileSync('${came}', 'x'));`,
    );
    const { call } = await start({ entry: sleeper });
    const controller = new AbortController();
    const waiting = call('bash', { command: 'true' }, controller.signal);
    controller.abort();
    const answer = { text: 'bash: cancelled before it began.', isError: true };
    expect([await waiting, await call('bash', { command: 'true' }, controller.signal)]).toEqual([answer, answer]);
    expect(existsSync(came)).toBe(false);
  });

  test('C10 close kills what hides: other sessions, cleared environments, ignored signals; and names it', async () => {
    const { call, host } = await start();
    const { text } = await call('bash', {
      command: [
        'sleep 323.1 &',
        'setsid sleep 323.2 &',
        'env -i setsid sleep 323.3 &',
        "(trap '' TERM HUP INT; setsid sh -c 'trap \"\" TERM; sleep 323.4; sleep 323.5' & )",
        'python3 -c \'import os\nif os.fork()==0:\n  os.setsid()\n  if os.fork()==0: os.execve("/bin/sleep",["sleep","323.6"],{})\n  os._exit(0)\'',
        'sleep 0.3; echo ok',
      ].join('\n'),
    });
    expect(text).toContain('ok\n[exit code 0]');
    // Of five: the two without our mark may have been found by the sweep of a test that runs beside this one.
    expect(running('sleep 323').length).toBeGreaterThanOrEqual(3);
    const { killed, survivors } = await host.close();
    expect(running('sleep 323')).toEqual([]);
    expect(survivors).toEqual([]);
    const commands = killed.map(({ command }) => command);
    expect(commands).toEqual(expect.arrayContaining(['sleep 323.1', 'sleep 323.2', 'sleep 323.4']));
    expect(commands.every((command) => /^(sleep 323\.\d|sh -c trap "" TERM; sleep 323\.4; sleep 323\.5)$/.test(command))).toBe(
      true,
    );
    expect(await host.close()).toEqual({ killed, survivors });
    expect((await call('bash', { command: 'true' })).text).toBe('The tool host is closed; nothing was done.');
  });

  test('close names what a command left in the background, and neither the tool host nor what runs beside the tools', async () => {
    const { call, host } = await start();
    const beside = host.startProcess({ argv: ['sleep', '326.1'] }, new AbortController().signal);
    await call('bash', {
      command:
        'sleep 326.2 & (exec -a "named by  \n itself" sleep 326.3) & until pgrep -f "^named by" >/dev/null; do sleep 0.02; done',
    });
    const { killed, survivors } = await host.close();
    expect([killed.map(({ command }) => command).sort(), survivors]).toEqual([['named by itself 326.3', 'sleep 326.2'], []]);
    expect((await beside.end).kind).toBe('failed');
    expect(running('sleep 326')).toEqual([]);
  });

  test('a run that left nothing names nothing', async () => {
    const { call, host } = await start();
    await call('bash', { command: 'sleep 0.01 & wait; true' });
    expect(await host.close()).toEqual({ killed: [], survivors: [] });
  });

  test('G5-16 the whole of a long output is read by read_file and by bash, and is gone with the host', async () => {
    const { call, host, dir } = await start();
    const { text } = await call('bash', { command: 'seq 1 50000' });
    const [, file = '', line = ''] = /read_file "([^"]+)" \(offset (\d+) goes on here\)/.exec(text) ?? [];
    const page = await call('read_file', { path: file, offset: Number(line), limit: 1 });
    expect([page.text.startsWith(`${line}\t${line}\n`), file.startsWith(`${dir}/`)]).toEqual([true, false]);
    expect((await call('bash', { command: `tail -1 ${file}` })).text).toBe('50000\n[exit code 0]');
    await host.close();
    expect(existsSync(path.dirname(file))).toBe(false);
  });

  test('D9 half a gigabyte of output costs the host less than 64 MB', async () => {
    const { call } = await start();
    const host = (await call('bash', { command: 'echo $PPID' })).text.split('\n')[0] ?? '';
    const megabytes = (key: string) =>
      Number(new RegExp(`^${key}:\\s*(\\d+)`, 'm').exec(readFileSync(`/proc/${host}/status`, 'utf8'))?.[1]) / 1024;
    const idle = megabytes('VmRSS');
    const { text } = await call('bash', {
      command: 'yes "a line of output" | head -c 512M; head -c 64M /dev/zero | tr "\\0" x >&2',
    });
    expect(text).toMatch(/\n\[… \d{9} bytes omitted; [\s\S]*\[stderr\]\n[\s\S]*\n\[… \d{8} bytes omitted; /);
    expect(megabytes('VmHWM') - idle).toBeLessThan(64);
  });

  test('two hosts at a time: closing one leaves the other and its commands alone', async () => {
    const one = await start();
    const two = await start();
    await two.call('bash', { command: 'sleep 324 & setsid sleep 324 & echo' });
    await one.call('bash', { command: 'true' });
    await one.host.close();
    expect(running('sleep 324')).toHaveLength(2);
    expect((await two.call('bash', { command: 'echo alive' })).text).toContain('alive');
  });

  test('when the main process is killed, the host and its commands end', async () => {
    const { dir } = await start();
    const options = JSON.stringify({ version: protocolVersion, workDir: dir, tools: ['bash'], redactionMark: '***' });
    // Its own number, so that nothing that another run left behind is counted.
    const sleep = `sleep 325.${process.pid}`;
    const script = `
      const host = require('node:child_process').spawn(process.execPath, [${JSON.stringify(entry)}, ${JSON.stringify(options)}],
        { stdio: ['pipe', 'inherit', 'inherit'], detached: true });
      host.stdin.write(JSON.stringify({ type: 'call', id: 1, call: { id: 'a', name: 'bash', arguments: JSON.stringify({ command: '${sleep} & echo $PPID > pid; ${sleep}' }) } }) + '\\n');
    `;
    const main = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    const pidFile = path.join(dir, 'pid');
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n') && running(sleep).length === 2);
    const host = readFileSync(pidFile, 'utf8').trim();
    main.kill('SIGKILL');
    await once(main, 'exit');
    await until(() => !existsSync(`/proc/${host}`) || /^State:\s*Z/m.test(readFileSync(`/proc/${host}/status`, 'utf8')));
    await until(() => running(sleep).length === 0);
  });

  test('a host that talks nonsense, or without end, is no danger', async () => {
    const { dir } = await start();
    const liar = path.join(dir, 'liar.mjs');
    writeFileSync(
      liar,
      `process.stdout.write('nonsense\\n{"type":"result"}\\n{"type":"result","id":99,"result":{"toolCallId":"x","output":[],"isError":false}}\\n{"type":"hello","version":${protocolVersion}}\\n');
       process.stderr.write('\\u001b[31m::add-mask::x\\n');
       process.stdin.once('data', () => setInterval(() => process.stdout.write('x'.repeat(1 << 20)), 1));`,
    );
    const { call, log } = await start({ entry: liar });
    expect(await call('bash', { command: 'true' })).toMatchObject({ isError: true });
    expect(log[0]).toBe('[tool-host] ?[31m::add-mask::x');
  });
});
