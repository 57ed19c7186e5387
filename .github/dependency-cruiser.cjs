/** The dependency direction of the house (ARCHITECTURE.md), type imports included. Each `comment` says what to do instead. */
const PEERS = 'engine|provider|tools|sandbox|memory|planning|skills|policy|agents|mcp|prompt|output|observe|redact|github';
const FOLDERS = `schema|${PEERS}|compose|action|cli|simulator`;

/** A rule for what `from` may not reach: everything that `may` does not list. */
const only = (name, from, may, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^src/', pathNot: may },
});

/** A rule for a package or built-in that only `owners` may import. */
const owned = (name, target, owners, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^src/', pathNot: owners },
  to: { path: target },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Move what both sides need into the lower of the two, or into src/schema. Type imports make cycles as well.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'imports-resolve',
      comment: 'The module is not there. Check the path and its .ts ending, or add the package to package.json.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dev-dependencies-in-src',
      comment:
        'src runs on the user’s runner. Move the package to "dependencies", with its reason, or do without it. A package of types only is named here.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: 'node_modules/@octokit/types/' },
    },
    {
      name: 'src-knows-no-tests',
      comment: 'src imports nothing from __tests__, .github, lib or dist. Move what it needs into src.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(__tests__|\\.github|lib|dist)/' },
    },
    only(
      'schema-stands-alone',
      '^src/schema/',
      '^src/schema/',
      'schema is the vocabulary: it imports nothing of ours. Move the type here, or the code that needs the import elsewhere.',
    ),
    {
      name: 'schema-takes-zod-only',
      comment: 'schema imports zod and no other package. Put what needs the package into the folder that owns it.',
      severity: 'error',
      from: { path: '^src/schema/' },
      to: { path: 'node_modules/', pathNot: 'node_modules/zod/' },
    },
    only(
      'peers-know-schema-only',
      `^src/(${PEERS})/`,
      ['^src/schema/', '^src/$1/'],
      'A peer folder imports src/schema and itself, type imports included. Declare the interface (port) that you need in your own folder; src/compose passes the implementation in.',
    ),
    only(
      'compose-wires-downwards',
      '^src/compose/',
      `^src/(schema|${PEERS}|compose)/`,
      'compose knows schema and the peers. What it needs from action, cli or the simulator comes in as a parameter.',
    ),
    only(
      'action-goes-through-compose',
      '^src/action/',
      '^src/(schema|github|compose|action)/',
      'action calls the stations of github in order and takes engine, tools and session from compose. Have compose build the part and return it.',
    ),
    only(
      'cli-goes-through-compose',
      '^src/cli/',
      ['^src/(schema|compose|cli|simulator)/', '^src/github/api\\.ts$'],
      'cli imports compose, schema, simulator and itself (and the port types of github/api.ts). Have compose build the part and return it.',
    ),
    only(
      'simulator-stands-apart',
      '^src/simulator/',
      '^src/(schema|simulator)/',
      'The simulator imports schema at most, so that it stays a second opinion. Declare the shape that you need in src/simulator.',
    ),
    {
      name: 'simulator-is-for-cli-and-tests',
      comment: 'Only src/cli and tests import the simulator. Take the fake in as a port instead.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli|simulator)/' },
      to: { path: '^src/simulator/' },
    },
    only(
      'entries-call-one-function',
      '^src/(main|post)\\.ts$',
      '^src/(action|compose|schema)/',
      'main and post build the World and call one function of src/action. Move the rest there, or into src/compose.',
    ),
    only(
      'terminal-entry-calls-cli',
      '^src/cli\\.ts$',
      '^src/(cli|compose|schema)/',
      'cli.ts builds the World and calls one function of src/cli. Move the rest there, or into src/compose.',
    ),
    {
      name: 'env-file-is-for-the-terminal',
      comment:
        'A .env of the workspace must not reach the Action: it could redirect the key. Only src/cli and src/cli.ts may reach it; set the variable in the workflow.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/cli(/|\\.ts$)', '^src/compose/(terminal-[^/]+|env-file)\\.ts$'] },
      to: { path: '(^src/compose/env-file\\.ts$|node_modules/dotenv/)', reachable: true },
    },
    only(
      'tool-host-entry-holds-tools',
      '^src/tool-host\\.ts$',
      '^src/(sandbox|tools|compose|schema)/',
      'The tool host runs beside untrusted code: it holds sandbox and tools only. Nothing with a key or a token goes in.',
    ),
    {
      name: 'nobody-imports-entries',
      comment: 'Entries are started, never imported: they work at import time. Move the function into a folder.',
      severity: 'error',
      from: {},
      to: { path: '^src/[^/]+\\.ts$' },
    },
    {
      name: 'folder-has-a-place',
      comment: 'This folder of src has no place in the dependency direction. Add it here and to the table of ARCHITECTURE.md.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: `^src/(${FOLDERS})/` },
      to: {},
    },
    owned(
      'runner-protocol-in-action',
      'node_modules/@actions/core/',
      '^src/action/',
      '@actions/core speaks to the runner on stdout: only src/action imports it. Return data and let action print it.',
    ),
    owned(
      'processes-in-their-place',
      '^(node:)?child_process$',
      '^src/(tools|sandbox|simulator|github/checkout)[/.]',
      'Processes start in src/tools, src/sandbox, src/github/checkout and src/simulator only. Take a function that runs the command as a parameter.',
    ),
    owned(
      'openai-in-its-adapter',
      'node_modules/openai/',
      '^src/provider/openai/',
      'The openai package stays in src/provider/openai. Use the provider port.',
    ),
    owned(
      'anthropic-in-its-adapter',
      'node_modules/@anthropic-ai/',
      '^src/provider/anthropic/',
      'The Anthropic SDK stays in src/provider/anthropic. Use the provider port.',
    ),
    owned(
      'shell-parser-in-the-rules',
      'node_modules/unbash/',
      '^src/policy/permissions/',
      'What a shell line runs is judged in src/policy/permissions only. Use the permission checker.',
    ),
    owned(
      'mcp-in-its-folder',
      'node_modules/@modelcontextprotocol/',
      '^src/mcp/',
      'The MCP SDK stays in src/mcp. Use its tools.',
    ),
    owned(
      'telemetry-in-observe',
      'node_modules/@opentelemetry/',
      '^src/observe/',
      'The OpenTelemetry packages stay in src/observe. Use the Tracing that it makes.',
    ),
    owned(
      'octokit-behind-the-port',
      'node_modules/(@octokit|@actions/(github|artifact))/',
      '^src/(github|compose)/',
      'octokit and the artifact client are implementations of the ports in src/github. Use the port.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    babelConfig: { fileName: require('node:path').join(__dirname, 'dependency-cruiser.babel.cjs') },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      // Packages of types only (@octokit/types) have no other entry.
      mainFields: ['module', 'main', 'types'],
    },
  },
};
