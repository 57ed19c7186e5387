// The MCP servers of a run: which of them it has, and what of theirs is secret.
import { describe, expect, test } from '@jest/globals';
import type { EdgeParts } from '../../src/compose/edge-parts.ts';
import { composeMcp } from '../../src/compose/mcp.ts';
import { baseSource } from '../../src/compose/trusted-config.ts';
import { createRedactor } from '../../src/redact/redactor.ts';
import { Harness9Error } from '../../src/schema/error.ts';
import type { EdgeSettings } from '../../src/schema/settings.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { sendJson, sendStatus, startHttpMcp } from '../mcp/http-server.ts';
import { processParts, raw } from '../mcp/scene.ts';

const never = new AbortController().signal;
const key = 'own-key-of-ours-9Qx7Zr2Kp4Lm8Tv';
const noSettings: EdgeSettings = {
  allowedTools: '',
  disallowedTools: '',
  permissionRules: null,
  hooks: null,
  mcpConfig: null,
  verifyCommand: null,
  verifyAttempts: 0,
  otelEndpoint: null,
  otelContent: false,
};

type Plan = EdgeParts['plan'];

async function compose(
  mcpServers: unknown,
  {
    plan = {},
    tools = {},
    env = {},
  }: { plan?: Partial<Plan>; tools?: Partial<EdgeParts['tools']>; env?: Record<string, string> },
) {
  const { parts, remove } = processParts();
  const redactor = createRedactor([key]);
  const log: string[] = [];
  const composed: EdgeParts = {
    settings: { ...noSettings, mcpConfig: JSON.stringify({ mcpServers }) },
    source: baseSource({ read: async () => null }),
    plan: { tools: 'all', trust: 'trusted', ...plan },
    tools: { startProcess: parts.startProcess, mayExecute: true, ...tools },
    workDir: '/',
    resource: {},
    outgoing: { redactor, log: (line) => log.push(redactor.outward(line)) },
    world: {
      clock: systemClock,
      randomHex: () => '0',
      env,
      fetch: globalThis.fetch,
      stdout: () => undefined,
      stderr: () => undefined,
    },
  };
  try {
    const mcp = await composeMcp(composed, never);
    return {
      ...mcp,
      redactor,
      log,
      names: mcp.tools.map(({ definition }) => definition.name),
      [Symbol.asyncDispose]: async () => {
        await mcp.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The error that stops the start, as people read it. */
async function refusal(...args: Parameters<typeof compose>): Promise<string> {
  const error = await compose(...args).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Harness9Error)) throw error ?? new Error('nothing was refused');
  return `${error.code}: ${error.message}\n${error.hint}`;
}

describe('a run has of its servers', () => {
  const servers = (url: string) => ({
    shell: raw({}, { required: true }),
    look: raw({}, { read_only_tools: ['echo'], lowest_trust: 'untrusted' }),
    net: { url, lowest_trust: 'mixed', required: true },
    read: { url, read_only_tools: true, lowest_trust: 'untrusted', required: true },
  });
  const isCommand = (name: string) => `The MCP server "${name}" is a command, and this run runs none.`;
  const isNotFor = (name: string, trust: string) => `The MCP server "${name}" is not for ${trust} runs.`;
  const hasNone = (name: string) => `The MCP server "${name}" has no \`read_only_tools\`, and this run only reads.`;

  test.each<{
    readonly run: string;
    readonly plan: Partial<Plan>;
    readonly has: readonly string[];
    readonly notices: readonly string[];
  }>([
    { run: 'trusted one: all', plan: {}, has: ['look', 'net', 'read', 'shell'], notices: [] },
    {
      run: 'mixed one: what is said to be for it and is no command',
      plan: { trust: 'mixed' },
      has: ['net', 'read'],
      notices: [isNotFor('shell', 'mixed'), isCommand('look')],
    },
    {
      run: 'plan: what only reads and is no command',
      plan: { tools: 'read_only' },
      has: ['read'],
      notices: [hasNone('shell'), isCommand('look'), hasNone('net')],
    },
    {
      run: 'untrusted one: what is said to be for it, only reads and is no command',
      plan: { tools: 'read_only', trust: 'untrusted' },
      has: ['read'],
      notices: [isNotFor('shell', 'untrusted'), isCommand('look'), isNotFor('net', 'untrusted')],
    },
  ])('a $run; the others are told, and required ones stop nothing', async ({ plan, has, notices }) => {
    await using server = await startHttpMcp();
    const mayExecute = Object.keys(plan).length === 0;
    await using mcp = await compose(servers(server.url), { plan, tools: { mayExecute } });
    expect([...new Set(mcp.names.map((name) => name.split('__')[1]))]).toEqual(has);
    expect(mcp.notices).toEqual(notices);
  });

  test('only the tools that only read, where it only reads', async () => {
    await using server = await startHttpMcp((asked, response) => {
      const tools = ['get_a', 'set_a'].map((name) => ({ name, inputSchema: { type: 'object' } }));
      if (asked.body?.method === 'tools/list') sendJson(response, { jsonrpc: '2.0', id: asked.body.id, result: { tools } });
      return asked.body?.method === 'tools/list';
    });
    const config = { s: { url: server.url, read_only_tools: ['get_*'], lowest_trust: 'untrusted' } };
    await using mcp = await compose(config, { plan: { tools: 'read_only', trust: 'untrusted' }, tools: { mayExecute: false } });
    expect(mcp.names).toEqual(['mcp__s__get_a']);
  });

  test('none that is a command where the level runs no processes; a required one ends the run', async () => {
    const tools = { startProcess: undefined, mayExecute: false };
    await using mcp = await compose({ s: raw() }, { tools });
    expect(mcp.notices).toEqual([expect.stringContaining('this level of the sandbox runs no processes')]);
    expect(await refusal({ s: raw({}, { required: true }) }, { tools })).toMatch(
      /^MCP_START: .*this level of the sandbox runs no processes/,
    );
  });
});

describe('a secret', () => {
  const token = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`;

  test.each([
    [{ command: 'x', args: [`--key=${key}`] }, 'a secret of this run'],
    [{ command: 'x', env: { SETTING: `u:${key}` } }, 'a secret of this run'],
    [{ command: 'sh', args: ['-c', `curl -H '${token}'`] }, /what looks like a secret \(.+\)/],
    [{ command: 'x', env: [`SETTING=${token}`] }, /what looks like a secret/],
  ])('in what a process is started with is refused: %#', async (server, what) => {
    const told = await refusal({ s: server }, {});
    expect(told).toMatch(/^MCP_CONFIG: input `mcp_config`: the command line or `env` of the MCP server "s" holds /);
    expect(told).toMatch(what);
    expect(told).not.toContain(key.slice(0, 20));
    expect(told).not.toContain(token.slice(0, 20));
  });

  test('that was written out is taken out of everything from then on, wherever it stands in the address or a header', async () => {
    const [inPath, inQuery, inHeader] = ['MDAxYzQ5ZjctNGU3Yi1hOWM1', 'q7Rw2Kx9Lm4Tz8Vb', 'z5Xc8Vb3Nm7Qw1Er'];
    await using server = await startHttpMcp((asked, response) => {
      sendStatus(response, 401, `not ${asked.url} ${asked.headers['x-team']}`);
      return true;
    });
    const url = `${server.url}/github-mcp-server/githubmcpserver/${inPath}/streamable?team=the-blue-team-of-many&sid=${inQuery}`;
    await using mcp = await compose({ s: { url, headers: { 'X-Team': inHeader, 'X-Name': 'a-client-of-ours-v2' } } }, {});
    const told = [...mcp.notices, ...mcp.log].join('\n');
    for (const secret of [inPath, inQuery, inHeader]) {
      expect(told).not.toContain(secret);
      expect(mcp.redactor.secrets(`see ${secret}`)).toBe('see ***');
    }
    const words = 'github-mcp-server githubmcpserver streamable the-blue-team-of-many a-client-of-ours-v2';
    expect(mcp.redactor.secrets(words)).toBe(words);
  });

  test('that a server puts into the list of its tools is in none of them', async () => {
    const env = { MCP_TOKEN: 'z5Xc8Vb3Nm7Qw1Er' };
    await using server = await startHttpMcp((asked, response) => {
      const said = String(asked.headers.authorization);
      const tools = [
        { name: 'a', description: `With ${said} and ${key}`, inputSchema: { properties: { x: { default: said } } } },
        { name: said.slice(7), inputSchema: {} },
      ];
      if (asked.body?.method === 'tools/list') sendJson(response, { jsonrpc: '2.0', id: asked.body.id, result: { tools } });
      return asked.body?.method === 'tools/list';
    });
    await using mcp = await compose({ s: { url: server.url, headers: { Authorization: 'Bearer ${MCP_TOKEN}' } } }, { env });
    expect(mcp.names).toEqual(['mcp__s__a']);
    const told = JSON.stringify([mcp.tools.map(({ definition }) => definition), mcp.notices, mcp.log]);
    for (const secret of [env.MCP_TOKEN, key]) expect(told).not.toContain(secret);
  });
});
