// The configuration of MCP servers: forms that are accepted, problems that are told, secrets that are not.
import { describe, expect, test } from '@jest/globals';
import { parseMcpConfig } from '../../src/mcp/parse-config.ts';
import { secretsIn } from '../../src/mcp/secrets.ts';
import { isOffered, type McpServer } from '../../src/mcp/server.ts';
import { Harness9Error } from '../../src/schema/error.ts';
import type { Trust } from '../../src/schema/gate.ts';

const parse = (mcpServers: unknown) => parseMcpConfig({ mcpServers }, 'mcp_config');

function problemsOf(value: unknown): readonly string[] {
  try {
    parseMcpConfig(value, 'mcp_config');
  } catch (error) {
    if (!(error instanceof Harness9Error)) throw error;
    expect(error.code).toBe('MCP_CONFIG');
    return error.message.split('\n');
  }
  return [];
}

/** The one problem of one server. */
function problemOf(server: unknown): string {
  const problems = problemsOf({ mcpServers: { s: server } });
  expect(problems).toHaveLength(1);
  return problems[0] ?? '';
}

const defaults = {
  tools: ['*'],
  readOnlyTools: [],
  startupTimeoutMs: 20_000,
  timeoutMs: 60_000,
  isRequired: false,
  lowestTrust: 'trusted',
};

describe('a configuration of MCP servers', () => {
  test('gives servers with everything that is not said', () => {
    expect(parse({ a: { command: 'npx', args: ['-y', 'x'] }, b: { url: 'https://mcp.example.com/mcp' } })).toEqual([
      { kind: 'stdio', name: 'a', argv: ['npx', '-y', 'x'], env: {}, ...defaults },
      { kind: 'http', name: 'b', url: 'https://mcp.example.com/mcp', headers: {}, ...defaults },
    ]);
  });

  test('gives what is said', () => {
    const common = {
      tools: ['get_*'],
      read_only_tools: ['get_a'],
      startup_timeout_secs: 120,
      timeout_secs: 0.5,
      required: true,
      lowest_trust: 'untrusted',
    };
    const said = {
      tools: ['get_*'],
      readOnlyTools: ['get_a'],
      startupTimeoutMs: 120_000,
      timeoutMs: 500,
      isRequired: true,
      lowestTrust: 'untrusted',
    };
    expect(parse({ a: { type: 'stdio', command: ' uvx ', env: { A: '1', B_2: '' }, ...common } })).toEqual([
      { kind: 'stdio', name: 'a', argv: ['uvx'], env: { A: '1', B_2: '' }, ...said },
    ]);
    for (const type of ['http', 'streamable-http', undefined]) {
      expect(parse({ a: { type, url: 'http://127.0.0.1:1/x?y#z', headers: { 'X-A': 'b' }, ...common } })).toEqual([
        { kind: 'http', name: 'a', url: 'http://127.0.0.1:1/x?y#z', headers: { 'X-A': 'b' }, ...said },
      ]);
    }
    expect(parse({ a: { command: 'x', read_only_tools: true } })[0]?.readOnlyTools).toEqual(['*']);
    expect(parse({ a: { command: 'x', read_only_tools: false } })[0]?.readOnlyTools).toEqual([]);
  });

  test('may have its environment as a list', () => {
    const [server] = parse({ a: { command: 'x', env: ['A=1', 'B=c=d', 'C='] } });
    expect(server).toMatchObject({ env: { A: '1', B: 'c=d', C: '' } });
  });

  test('may be `servers`, a bare map, or nothing, and may name its schema', () => {
    const one = { a: { command: 'x' } };
    const expected = parse(one);
    for (const form of [{ servers: one }, one, { $schema: 'https://x', mcpServers: one }, { $schema: 'https://x', ...one }]) {
      expect(parseMcpConfig(form, 'f')).toEqual(expected);
    }
    for (const none of [{}, { mcpServers: {} }, { servers: {} }]) expect(parseMcpConfig(none, 'f')).toEqual([]);
  });

  test('takes every name of a server that its tools can be told by', () => {
    const names = ['a b', 'tracker (検索)', '__proto__', 'constructor', 'x'.repeat(32), '@a/b.c'];
    const entries = `{${names.map((name) => `${JSON.stringify(name)}:{"command":"x"}`).join(',')}}`;
    expect(parse(JSON.parse(entries)).map(({ name }) => name)).toEqual(names);
  });

  test.each([null, 7, 'x', [], true])('that is %p is told as such', (value) => {
    expect(problemsOf(value)).toEqual([
      expect.stringMatching(
        /^mcp_config: the configuration is .+, expected an object with `mcpServers`(, or a path that begins with \.\/)?$/,
      ),
    ]);
  });

  test('tells all problems at once, each with its place, what was seen and what is expected', () => {
    expect(
      problemsOf({
        mcpServers: {
          a: { command: 7, args: 'x', timeout_secs: 601, reqired: true },
          b: { url: 'ftp://x', headers: [], startup_timeout_secs: 0, tools: [] },
          c: 'npx',
          '': { command: 'x' },
        },
        inputs: [],
      }),
    ).toEqual([
      'mcp_config: inputs is no field of the configuration, expected `mcpServers` only',
      'mcp_config: mcpServers."" is a server without a name, expected a name',
      expect.stringMatching(
        /^mcp_config: mcpServers\.a\.reqired is no field of a server, expected one of .* \(did you mean "required"\?\)$/,
      ),
      'mcp_config: mcpServers.a.timeout_secs is 601, expected a number of seconds over 0, at most 600',
      'mcp_config: mcpServers.a.command is a number, expected the name or path of a program',
      'mcp_config: mcpServers.a.args is a text of 1 characters, expected a list of texts',
      'mcp_config: mcpServers.b.tools is a list of 0, expected a list of names of tools, * for any text in them, or nothing for all tools',
      'mcp_config: mcpServers.b.startup_timeout_secs is 0, expected a number of seconds over 0, at most 120',
      'mcp_config: mcpServers.b.headers is a list of 0, expected a map of names to texts',
      expect.stringMatching(/^mcp_config: mcpServers\.b\.url is ftp:\/\/x .*, expected a URL with https/),
      'mcp_config: mcpServers.c is a text of 3 characters, expected an object',
    ]);
  });

  test.each([
    [{}, /is without `command` and `url`, expected one of them$/],
    [{ comand: 'x' }, /without `command` and `url`.* \(did you mean "command"\?\)$/],
    [{ command: 'x', url: 'https://x' }, /with both/],
    [{ type: 'sse', url: 'https://x/sse' }, /is of the type "sse", expected the type "http": .*not supported/],
    [{ type: 'http', command: 'x' }, /\.type is "http", expected "stdio" for/],
    [{ type: 'stdio', url: 'https://x' }, /\.type is "stdio", expected/],
    [{ type: 7, command: 'x' }, /\.type is 7, expected/],
    [{ command: '' }, /\.command is an empty text/],
    [{ command: 'a\0b' }, /\.command is a text of 3 characters/],
    [{ command: 'x', args: ['-p', 8080] }, /\.args\[1\] is a number, expected a text, in quotes$/],
    [
      { command: 'npx -y some-server' },
      /\.command is a whole command line, expected the program alone; its arguments are the list `args`$/,
    ],
    [{ command: 'x', env: ['A'] }, /\.env is a list of 1, expected/],
    [{ command: 'x', env: { 'A B': '1' } }, /\.env is an object, expected/],
    [{ command: 'x', env: { A: '1', PORT: 8080 } }, /\.env\.PORT is a number, expected a text, in quotes$/],
    [{ url: 'https://x', headers: { 'X-Beta': true } }, /\.headers\.X-Beta is a boolean, expected a text, in quotes$/],
    [{ url: 'https://x', tools: ['a', 7] }, /\.tools\[1\] is 7, expected a text, in quotes$/],
    [
      { url: 'https://x/${MCP_KEY}' },
      /\.url is one with a placeholder \$\{…\}, expected none: secrets are put into `headers` only$/,
    ],
    [{ url: 'https://x?key=${MCP_KEY}' }, /\.url is one with a placeholder/],
    [
      { url: 'https://x', headers: { A: 'Bearer $MCP_KEY' } },
      /\.headers\.A is one with \$MCP_… without braces, expected \$\{MCP_NAME\}$/,
    ],
    [{ command: 'x', timeout: 5 }, /\.timeout is no field of a server, .*\(did you mean "timeout_secs"\?\)$/],
    [{ command: 'x', headers: {} }, /\.headers is there, and is for servers with a `url`/],
    [{ url: 'https://x', env: {} }, /\.env is there, and is for servers with a `command`/],
    [{ url: 'https://x', lowest_trust: 'all' }, /\.lowest_trust is "all", expected "trusted", "mixed" or "untrusted"$/],
    [{ url: 'https://x', required: 'yes' }, /\.required is "yes", expected true or false$/],
    [{ url: 'x' }, /\.url is a text of 1 characters/],
    [{ url: 7 }, /\.url is a number, expected a URL/],
    [{ url: 'http://mcp.example.com' }, /\.url is http:\/\/mcp\.example\.com \(the rest is not shown\), expected/],
    [{ url: 'https://me:geheim@x.y/?k=geheim' }, /\.url is https:\/\/x\.y \(the rest is not shown\)/],
    [{ url: 'https://x', headers: { 'a b': 'c' } }, /\.headers\.a b is no name of a header/],
    [{ url: 'https://x', headers: { Host: 'c' } }, /\.headers\.Host is a header that the connection sets itself/],
    [{ url: 'https://x', headers: { 'MCP-Session-Id': 'c' } }, /sets itself/],
  ])('with %j tells the problem', (server, expected) => {
    expect(problemOf(server)).toMatch(expected);
  });

  test.each([
    [
      { 検索: {} },
      /^mcp_config: mcpServers\.検索 is a server without letters \(A-Z\) and digits in its name, expected a name with/,
    ],
    [{ ['x'.repeat(33)]: {} }, / is a server with a name of 33 characters, expected at most 32$/],
    [
      { 'a b': {}, a__b: {} },
      /\.a__b is a server whose tools are called mcp__a_b__…, as those of mcpServers\.a b, expected another name$/,
    ],
    [{ 'a\u202e\u200b\n::error::b': { x: 1 } }, /^mcp_config: mcpServers\.a ::error::b is without/],
  ])('with a name that tools cannot be told by tells the problem: %j', (servers, expected) => {
    const named = Object.entries(servers).map(([name, more]) => [name, 'x' in more ? more : { command: 'x' }]);
    expect(problemsOf({ mcpServers: Object.fromEntries(named) })).toEqual([expect.stringMatching(expected)]);
  });

  test('takes a path with blanks as a program, and a name with arguments beside it', () => {
    const argvOf = (server: unknown) => parse({ a: server }).flatMap((each) => (each.kind === 'stdio' ? [each.argv] : []));
    expect(argvOf({ command: '/opt/My Tools/x' })).toEqual([['/opt/My Tools/x']]);
    expect(argvOf({ command: 'C:\\My Tools\\x.exe' })).toEqual([['C:\\My Tools\\x.exe']]);
    expect(argvOf({ command: ' my tool ', args: ['y'] })).toEqual([['my tool', 'y']]);
  });

  test.each(['http://localhost:1', 'http://127.0.0.1/x', 'http://[::1]:8/', 'http://a.localhost/', 'https://x', ' https://x '])(
    'takes the address %s',
    (url) => expect(problemsOf({ mcpServers: { s: { url } } })).toEqual([]),
  );

  test('takes plain http where that is said', () => {
    expect(problemsOf({ mcpServers: { s: { url: 'http://10.0.0.7/mcp', allow_insecure: true } } })).toEqual([]);
    expect(problemsOf({ mcpServers: { s: { url: 'ftp://10.0.0.7/mcp', allow_insecure: true } } })).toHaveLength(1);
  });

  test('shows nothing that may be a key', () => {
    const key = 'geheim-1234';
    const wrong = [
      { command: [key], args: key, env: key },
      { command: 'x', args: [key, 7], env: { A: key, B: 7 } },
      { command: 'x', env: [key] },
      { url: 'https://x', headers: key },
      { url: 'https://x', headers: { Authorization: `Bearer ${key}\n${key}`, 'a b': key, X: `\${${key}}`, Y: `\${{ ${key} }}` } },
      { url: key, headers: { Authorization: 7, X: key } },
    ];
    const told = problemsOf({ mcpServers: Object.fromEntries(wrong.map((each, index) => [`s${index}`, each])) });
    expect(told.length).toBeGreaterThanOrEqual(10);
    expect(told.join('\n')).not.toContain(key);
  });
});

describe('secrets of MCP servers', () => {
  const url = 'https://x/';
  const env = { MCP_A: ' aaaa-secret\n', MCP_B: 'bbbb', OPENAI_API_KEY: 'sk-own', MCP_EMPTY: '' };

  test('are the variables that headers name, and what they stand in', () => {
    const servers = parse({
      a: { url, headers: { Authorization: 'Bearer ${MCP_A}', 'X-Two': '${MCP_A}:${MCP_B}', 'X-Team': 'blue' } },
      b: { command: 'x' },
    });
    expect([...secretsIn(servers, env)].sort()).toEqual(['Bearer aaaa-secret', 'aaaa-secret', 'aaaa-secret:bbbb', 'bbbb']);
  });

  test('are headers to log in, too, that were written out', () => {
    const servers = parse({
      a: { url, headers: { authorization: 'Bearer tok', 'X-Api-Key': 'k1', 'X-Team': 'blue' } },
      b: { url },
    });
    expect([...secretsIn(servers, {})].sort()).toEqual(['Bearer tok', 'k1', 'tok']);
  });

  test('are the password of a login, and parameters of an address to log in', () => {
    const basic = `Basic ${Buffer.from('me:pass:word-77').toString('base64')}`;
    const servers = parse({ a: { url: `${url}?team=blue&api_key=k%202`, headers: { Authorization: basic } } });
    expect([...secretsIn(servers, {})].sort()).toEqual([basic, 'k 2', basic.slice(6), 'pass:word-77'].sort());
  });

  test('that are missing are none', () => {
    const servers = parse({ a: { url, headers: { 'X-A': '${MCP_EMPTY}${MCP_NONE}' } } });
    expect(secretsIn(servers, env)).toEqual([]);
  });

  test.each([
    '${OPENAI_API_KEY}',
    'x ${GITHUB_TOKEN}',
    '${mcp_a}',
    '${MCP_}',
    '${MCP_A:-x}',
    '${env:MCP_A}',
    '${}',
    '${{ secrets.A }}',
    '${MCP_A }',
  ])('are only in variables of our own kind: %s is refused', (value) => {
    expect(problemOf({ url, headers: { 'X-A': value } })).toMatch(
      /^mcp_config: mcpServers\.s\.headers\.X-A is one with .*, expected placeholders of the form \$\{MCP_NAME\}: only variables whose names begin with MCP_ are put in$/,
    );
  });

  test.each([
    { command: '${MCP_A}' },
    { command: 'x', args: ['--token=${MCP_A}'] },
    { command: 'x', env: { A: '${MCP_A}' } },
    { command: 'x', env: ['A=${env:HOME}'] },
    { command: 'x', args: ['${input:token}'] },
  ])('never go to a process: %j is refused, with the way that there is', (server) => {
    expect(problemOf(server)).toMatch(/is a text with a placeholder.*a server that needs a secret is reached over HTTP only/);
  });

  test.each([{ env: { API_KEY: 'geheim-77' } }, { env: { github_token: 'geheim-77' } }, { env: ['DB_PASSWORD=geheim-77'] }])(
    'never go to a process by a name that says what they are: %j is refused',
    (more) => {
      const problem = problemOf({ command: 'x', ...more });
      expect(problem).toMatch(/\.env\.\w+ is a secret by its name, expected none: .* over HTTP only/);
      expect(problem).not.toContain('geheim');
    },
  );

  test('are none in a variable that is empty, or is called otherwise', () => {
    expect(parse({ a: { command: 'x', env: { API_KEY: '', MAX_TOKENS: '5', KEYBOARD: 'de', AUTHOR: 'me' } } })).toHaveLength(1);
  });

  test('are no secrets where a shell would have its own variables', () => {
    expect(parse({ a: { command: 'sh', args: ['-c', 'echo $HOME $(pwd) $'] } })).toHaveLength(1);
  });
});

test('a server is offered down to its lowest trust', () => {
  const offered = (lowest?: Trust) => {
    const [server] = parse({ a: { command: 'x', lowest_trust: lowest } }) as readonly [McpServer];
    return (['trusted', 'mixed', 'untrusted'] as const).filter((trust) => isOffered(server, trust));
  };
  expect(offered()).toEqual(['trusted']);
  expect(offered('trusted')).toEqual(['trusted']);
  expect(offered('mixed')).toEqual(['trusted', 'mixed']);
  expect(offered('untrusted')).toEqual(['trusted', 'mixed', 'untrusted']);
});
