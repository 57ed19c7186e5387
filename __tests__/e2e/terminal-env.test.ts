// End to end on the sources: the folder's .env gives a key and an endpoint, unless the repository wrote it (I1).
import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { startProxy } from './loopback-proxy.ts';
import { modelKey, startLoopbackModel, startTerminal, terminalTimeout as timeout } from './terminal-process.ts';

const fileKey = 'key-of-the-file-0123456789';

test(
  'a .env that git does not track gives key and endpoint, and its key is in no output [spec 5.3 Load]',
  async () => {
    await using terminal = await startTerminal();
    await using model = await startLoopbackModel([{ text: `the key is ${fileKey}` }]);
    const endpoint = `export OPENAI_BASE_URL="${model.env.OPENAI_BASE_URL}"`;
    await writeFile(path.join(terminal.cwd, '.env'), `# mine\n\n${endpoint}\nOPENAI_API_KEY='${fileKey}'\nLD_PRELOAD=evil.so\n`);
    execFileSync('git', ['init', '-q'], { cwd: terminal.cwd });
    const ended = await terminal.run({ args: [...model.args, 'x'] });
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: 'the key is ***\n' });
    expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${fileKey}`]);
    expect(ended.stderr).toMatch(/^\[env\] not taken from .*\.env: LD_PRELOAD \(names that steer programs/m);
    expect(ended.stderr).not.toMatch(/key-of-the-file|evil/);
  },
  timeout,
);

test(
  'the environment of the process wins, also when it is empty [spec 5.3 process environment first]',
  async () => {
    await using terminal = await startTerminal();
    await using model = await startLoopbackModel([{ text: 'Answered.' }]);
    await writeFile(path.join(terminal.cwd, '.env'), `OPENAI_API_KEY=${fileKey}\nOPENAI_BASE_URL=http://127.0.0.1:9/v1\n`);
    expect(await terminal.run({ args: [...model.args, 'x'], env: model.env })).toMatchObject({ code: 0, stdout: 'Answered.\n' });
    expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${modelKey}`]);
    const empty = await terminal.run({ args: [...model.args, 'x'], env: { ...model.env, OPENAI_API_KEY: '' } });
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('OPENAI_API_KEY is not set') });
  },
  timeout,
);

test(
  'a .env of the repository does not redirect the user’s key (I1)',
  async () => {
    await using terminal = await startTerminal();
    await using trap = await startLoopbackModel([{ text: 'Caught.' }]);
    await using model = await startLoopbackModel([{ status: 500, error: 'not asked' }]);
    await writeFile(path.join(terminal.cwd, '.env'), `OPENAI_BASE_URL=${trap.env.OPENAI_BASE_URL}\nOPENAI_API_KEY=${fileKey}\n`);
    execFileSync('git', ['init', '-q'], { cwd: terminal.cwd });
    execFileSync('git', ['add', '-f', '.env'], { cwd: terminal.cwd });
    const ended = await terminal.run({ args: [...model.args, 'x'] });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^\[env\] not taken from .*\.env: OPENAI_BASE_URL, OPENAI_API_KEY \(git tracks it; /m);
    expect([...trap.requests, ...model.requests]).toEqual([]);
  },
  timeout,
);

test(
  'the .env is that of --cwd, and sessions need none [spec 5.3 missing file]',
  async () => {
    await using terminal = await startTerminal();
    await using model = await startLoopbackModel([{ text: 'Answered.' }]);
    const lines = [`OPENAI_API_KEY=${fileKey}`, `OPENAI_BASE_URL=${model.env.OPENAI_BASE_URL}`];
    await writeFile(path.join(terminal.cwd, '.env'), lines.join('\n'));
    const args = [...model.args, '--cwd', terminal.cwd, 'x'];
    expect(await terminal.run({ args, cwd: terminal.home })).toMatchObject({ code: 0, stdout: 'Answered.\n' });
    expect(await terminal.run({ args: ['sessions'], cwd: terminal.home })).toMatchObject({ code: 0, stderr: '' });
  },
  timeout,
);

test('what is built for the Action cannot read a .env (I1)', async () => {
  const dist = path.join(import.meta.dirname, '../../dist');
  /** A word of the library's own, which no minifier takes away. */
  const holdsReader = async (name: string) => {
    const scripts = (await readdir(path.join(dist, name))).filter((file) => file.endsWith('.js'));
    const texts = await Promise.all(scripts.map((file) => readFile(path.join(dist, name, file), 'utf8')));
    return texts.some((text) => text.includes('DOTENV_CONFIG_'));
  };
  const entries = ['main', 'post', 'tool-host', 'cli'];
  expect(await Promise.all(entries.map(holdsReader))).toEqual([false, false, false, true]);
});

test(
  'the model is reached through the proxy of the .env, and not through one that the repository tracks',
  async () => {
    await using terminal = await startTerminal();
    await using model = await startLoopbackModel([{ text: 'Through the proxy.' }]);
    const proxy = await startProxy();
    try {
      const host = `model.invalid:${new URL(model.env.OPENAI_BASE_URL).port}`;
      const call = {
        args: [...model.args, '--allow-insecure-endpoint', 'x'],
        env: { ...model.env, OPENAI_BASE_URL: `http://${host}/v1` },
      };
      await writeFile(path.join(terminal.cwd, '.env'), `HTTP_PROXY=${proxy.url}\n`);
      expect(await terminal.run(call)).toMatchObject({ code: 0, stdout: 'Through the proxy.\n' });
      expect([...proxy.hosts]).toEqual([host]);
      proxy.hosts.clear();
      execFileSync('git', ['init', '-q'], { cwd: terminal.cwd });
      execFileSync('git', ['add', '-f', '.env'], { cwd: terminal.cwd });
      const refused = await terminal.run({ ...call, env: { ...call.env, OPENAI_BASE_URL: model.env.OPENAI_BASE_URL } });
      expect(refused.stderr).toContain('HTTP_PROXY (git tracks it');
      expect([...proxy.hosts]).toEqual([]);
    } finally {
      proxy.close();
    }
  },
  timeout,
);
