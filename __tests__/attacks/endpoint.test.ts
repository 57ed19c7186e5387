// Attacks on where the key goes: variables and files that name another endpoint. End to end on dist, by attack id.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startModel } from '../../src/simulator/model/scripted-model.ts';
import { mention } from '../e2e/mention.ts';
import { modelKey, shopFiles, startScene } from '../e2e/scene.ts';
import { withInternet } from '../e2e/step-preload.ts';

const timeout = 180_000;

/** A server that only counts who comes; with `location` it sends them on. */
async function startTrap(location?: string) {
  const visits: string[] = [];
  const server = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`);
    response.writeHead(location === undefined ? 500 : 307, location === undefined ? {} : { location }).end();
  });
  server.on('connect', (request, socket) => {
    visits.push(`CONNECT ${request.url}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    visits,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Everything that is known to redirect the vendors' clients. */
function hostileVariables(url: string): Readonly<Record<string, string>> {
  const names = [
    'OPENAI_BASE_URL',
    'OPENAI_API_BASE',
    'OPENAI_API_HOST',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_API_URL',
    'HARNESS9_BASE_URL',
  ];
  return Object.fromEntries(names.map((name) => [name, `${url}/v1`]));
}

function dotEnv(variables: Readonly<Record<string, string>>): string {
  return Object.entries({ ...variables, OPENAI_API_KEY: 'key-of-the-repository', ANTHROPIC_API_KEY: 'key-of-the-repository' })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

describe('the model’s key', () => {
  test.each([
    ['openai', 'Bearer'],
    ['anthropic', 'Bearer'],
  ])(
    'of %s goes to the input’s endpoint, whatever the environment and a .env of the repository say (I1)',
    async (provider) => {
      await using trap = await startTrap();
      const hostile = hostileVariables(trap.url);
      await using scene = await startScene([{ text: 'Answered.' }], { files: { ...shopFiles, '.env': dotEnv(hostile) } });
      const base_url = provider === 'openai' ? scene.model.openaiUrl : scene.model.url;
      const { result } = await mention(scene, { inputs: { provider, base_url }, options: { env: hostile } });
      expect(result.outputs.conclusion).toBe('no_changes');
      expect(scene.model.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${modelKey}`]);
      expect(trap.visits).toEqual([]);
    },
    timeout,
  );

  test.each([['openai'], ['anthropic']])(
    'of %s goes to the vendor when no endpoint is given, whatever the environment and a .env of the repository say (I1)',
    async (provider) => {
      await using trap = await startTrap();
      const hostile = hostileVariables(trap.url);
      await using scene = await startScene([{ text: 'Answered.' }], { files: { ...shopFiles, '.env': dotEnv(hostile) } });
      const internet = withInternet({ [`https://api.${provider}.com`]: scene.model.url });
      const { result } = await mention(scene, {
        inputs: { provider, base_url: '' },
        options: { env: { ...hostile, ...internet } },
      });
      expect(result.outputs.conclusion).toBe('no_changes');
      expect(scene.model.requests.map(({ dialect, headers }) => [dialect, headers.authorization])).toEqual([
        [provider, `Bearer ${modelKey}`],
      ]);
      expect(trap.visits).toEqual([]);
    },
    timeout,
  );

  test(
    'of the terminal goes where the user’s own environment says, not where a .env of the folder says (I1)',
    async () => {
      await using trap = await startTrap();
      const cwd = await mkdtemp(path.join(tmpdir(), 'harness9-dotenv-'));
      const model = await startModel([{ text: 'Answered.' }]);
      try {
        await writeFile(path.join(cwd, '.env'), dotEnv(hostileVariables(trap.url)));
        const entry = path.join(import.meta.dirname, '../../dist/cli/index.js');
        const child = spawn(process.execPath, [entry, '-p', 'hello', '--provider', 'openai'], {
          cwd,
          env: {
            PATH: process.env.PATH ?? '',
            HOME: cwd,
            TMPDIR: cwd,
            OPENAI_API_KEY: modelKey,
            OPENAI_BASE_URL: model.openaiUrl,
          },
          stdio: 'ignore',
        });
        expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
        expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${modelKey}`]);
        expect(trap.visits).toEqual([]);
      } finally {
        await model.close();
        await rm(cwd, { recursive: true, force: true });
      }
    },
    timeout,
  );

  test(
    'does not follow a redirect to another host (I2)',
    async () => {
      await using trap = await startTrap();
      await using endpoint = await startTrap(`${trap.url}/v1/chat/completions`);
      await using scene = await startScene([]);
      const { result } = await mention(scene, { inputs: { base_url: `${endpoint.url}/v1` } });
      expect(result.outputs.conclusion).toBe('error');
      expect(endpoint.visits).toContain('POST /v1/chat/completions');
      expect(trap.visits).toEqual([]);
    },
    timeout,
  );
});
