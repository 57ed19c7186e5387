import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startGitHub } from '../../src/simulator/github/simulated-github.ts';
import { checkoutRepository } from '../../src/simulator/runner/checkout-repository.ts';
import { parsePairs } from '../../src/simulator/runner/command-files.ts';
import type { ActionResult, RunActionOptions } from '../../src/simulator/runner/contract.ts';
import { runAction } from '../../src/simulator/runner/run-action.ts';
import { createOutputReader, parseCommand } from '../../src/simulator/runner/workflow-commands.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runner-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const github = {
  apiUrl: 'http://127.0.0.1:1/api',
  graphqlUrl: 'http://127.0.0.1:1/api/graphql',
  serverUrl: 'http://github.localhost:1',
  resultsUrl: 'http://127.0.0.1:1',
  owner: 'octo-org',
  repo: 'shop',
  repositoryId: 7,
  token: 'ghs_secrettoken',
  runtimeToken: 'runtime.jwt.token',
};

/** Runs an action whose entries are these scripts. */
async function run(
  scripts: { main: string; post?: string; postIf?: string },
  options: Partial<RunActionOptions> = {},
): Promise<ActionResult> {
  const actionDir = path.join(folder, 'action');
  await mkdir(actionDir, { recursive: true });
  const post =
    scripts.post === undefined ? '' : `  post: post.mjs\n${scripts.postIf === undefined ? '' : `  post-if: ${scripts.postIf}\n`}`;
  await writeFile(
    path.join(actionDir, 'action.yml'),
    `name: t\ninputs:\n  with space:\n    default: a\n  turns:\n    default: 50\n  github_token:\n    default: \${{ github.token }}\n  empty:\n    description: x\nruns:\n  using: node24\n  main: main.mjs\n${post}`,
  );
  await writeFile(path.join(actionDir, 'main.mjs'), scripts.main);
  if (scripts.post !== undefined) await writeFile(path.join(actionDir, 'post.mjs'), scripts.post);
  return runAction({
    actionDir,
    github,
    event: { name: 'issue_comment', payload: { action: 'created' } },
    inputs: {},
    workspace: path.join(folder, 'workspace'),
    runId: 12,
    actor: 'ann',
    ref: 'refs/heads/main',
    sha: 'a'.repeat(40),
    workflowPath: '.github/workflows/h.yml',
    job: 'answer',
    cancelTimes: { interruptMs: 600, terminateMs: 300 },
    ...options,
  });
}

const write = (file: string, text: string): string =>
  `require('node:fs').appendFileSync(process.env.GITHUB_${file}, ${JSON.stringify(text)});`;
const script = (...lines: readonly string[]): string =>
  `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n${lines.join('\n')}`;

/** A killed process may stay as a zombie until its new parent looks. */
async function isAlive(pid: string): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status !== '' && !/\) Z /.test(status);
}

describe('a run of an action', () => {
  test('sees the environment of a runner and nothing of its parent', async () => {
    process.env.LEAK_OF_PARENT = '1';
    const result = await run(
      {
        main: script(
          'console.log(JSON.stringify(process.env)); console.log(process.cwd());',
          "console.log(require('fs').readFileSync(process.env.GITHUB_EVENT_PATH,'utf8').replace(/\\s/g,''))",
        ),
      },
      { inputs: { turns: '3' }, env: { OPENAI_API_KEY: 'k' } },
    );
    const [environment = '', cwd, payload] = result.stdout.split('\n');
    const env = JSON.parse(environment) as Record<string, string>;
    expect(env).toMatchObject({
      INPUT_WITH_SPACE: 'a',
      INPUT_TURNS: '3',
      INPUT_GITHUB_TOKEN: 'ghs_secrettoken',
      INPUT_EMPTY: '',
      OPENAI_API_KEY: 'k',
      GITHUB_REPOSITORY: 'octo-org/shop',
      GITHUB_REPOSITORY_ID: '7',
      GITHUB_REF_NAME: 'main',
      GITHUB_WORKFLOW_REF: 'octo-org/shop/.github/workflows/h.yml@refs/heads/main',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_API_URL: github.apiUrl,
      ACTIONS_RUNTIME_TOKEN: github.runtimeToken,
      ACTIONS_RESULTS_URL: github.resultsUrl,
    });
    expect(env).not.toHaveProperty('LEAK_OF_PARENT');
    expect(env).not.toHaveProperty('GITHUB_TOKEN');
    expect(cwd).toBe(path.join(folder, 'workspace'));
    expect(payload).toBe('{"action":"created"}');
    expect(result).toMatchObject({ exitCode: 0, conclusion: 'success', post: null, orphans: 0 });
  });

  test('hands over outputs, summary, state and post, whatever main’s end', async () => {
    const main = script(
      write('OUTPUT', 'a=1\nlong<<EOF_x\nline 1\nline=2\nEOF_x\n'),
      write('STEP_SUMMARY', '# main\n'),
      write('STATE', 'journal=/tmp/j\n'),
      write('ENV', 'X=y\n'),
      write('PATH', '/opt/x\n'),
      "console.log('::save-state name=old::o'); process.exitCode = 3;",
    );
    const post = script(write('STEP_SUMMARY', '# post\n'), 'console.log(process.env.STATE_journal, process.env.STATE_old)');
    const result = await run({ main, post });
    expect(result).toMatchObject({
      exitCode: 3,
      conclusion: 'failure',
      outputs: { a: '1', long: 'line 1\nline=2' },
      summary: '# main\n# post\n',
      state: { journal: '/tmp/j', old: 'o' },
      env: { X: 'y' },
      paths: ['/opt/x'],
      post: { exitCode: 0, stdout: '/tmp/j o\n' },
    });
    expect(await run({ main, post, postIf: 'success()' })).toMatchObject({ post: null });
  });

  test('fails when a command file cannot be read', async () => {
    const result = await run({ main: script(write('OUTPUT', 'a<<END\nnever ends\n')) });
    expect(result).toMatchObject({
      exitCode: 0,
      conclusion: 'failure',
      outputs: {},
      problems: [expect.stringContaining("'END'")],
    });
  });

  test('masks its tokens and what the action adds, on both streams, and hears commands on both', async () => {
    const result = await run({
      main: "console.log('::add-mask::hunter2'); console.error('  ::warning file=a.ts,line=3::careful%0Anow'); console.log('hunter2 ghs_secrettoken'); console.error('x ##[error]bad')",
    });
    expect(result.log.split('\n').sort()).toEqual(['##[error]bad', '##[warning]careful', '*** ***', 'now']);
    expect(result.commands.map(({ name }) => name).sort()).toEqual(['add-mask', 'error', 'warning']);
    expect(result.commands.find(({ name }) => name === 'warning')).toEqual({
      name: 'warning',
      properties: { file: 'a.ts', line: '3' },
      data: 'careful\nnow',
    });
    expect(result.stdout).toContain('hunter2');
  });

  test('warns of inputs that the action does not know, and passes them on', async () => {
    const result = await run({ main: 'console.log(process.env.INPUT_TRUNS)' }, { inputs: { truns: '4' } });
    expect(result.stdout).toBe('4\n');
    expect(result.log).toContain(
      "Unexpected input(s) 'truns', valid inputs are ['with space', 'turns', 'github_token', 'empty']",
    );
  });

  test('that heeds SIGINT when it is cancelled ends by itself, and post runs', async () => {
    const cancel = new AbortController();
    const result = await run(
      {
        main: "process.on('SIGINT', () => { console.log('saved'); process.exit(130); }); setInterval(() => {}, 1000); console.log('ready')",
        post: "console.log('post ran')",
      },
      { cancel: cancel.signal, onLine: (_stream, line) => line === 'ready' && cancel.abort() },
    );
    expect(result).toMatchObject({
      exitCode: 130,
      conclusion: 'cancelled',
      stdout: 'ready\nsaved\n',
      post: { exitCode: 0, stdout: 'post ran\n' },
    });
  });

  test('that heeds nothing is killed with all it started, and post runs', async () => {
    const cancel = new AbortController();
    const child =
      "const c = require('child_process').spawn(process.execPath, ['-e', 'setInterval(()=>{},1000)'], { detached: true, stdio: 'inherit' }); console.log('child ' + c.pid);";
    const result = await run(
      {
        main: script(
          "for (const s of ['SIGINT','SIGTERM']) process.on(s, () => console.log(s));",
          child,
          'setInterval(() => {}, 1000);',
        ),
        post: "console.log('post ran')",
      },
      { cancel: cancel.signal, onLine: (_stream, line) => line.startsWith('child') && cancel.abort() },
    );
    const pid = /child (\d+)/.exec(result.stdout)?.[1] ?? '';
    expect(result).toMatchObject({ exitCode: null, conclusion: 'cancelled', post: { exitCode: 0 } });
    expect(result.main.signal).toBe('SIGKILL');
    expect(result.stdout).toBe(`child ${pid}\nSIGINT\nSIGTERM\n`);
    expect(await isAlive(pid)).toBe(false);
  });

  test('says how many processes it left behind', async () => {
    const main = script(
      "require('child_process').spawn(process.execPath, ['-e', 'setInterval(()=>{},1000)'], { detached: true, stdio: 'ignore' }).unref();",
    );
    expect(await run({ main })).toMatchObject({ exitCode: 0, orphans: 1 });
  });
});

describe('the runner’s parsing', () => {
  test('takes commands after blanks and the old form anywhere, and only those it knows', () => {
    expect(parseCommand('  \t::error title=a%2Cb%3A::x%25y')).toEqual({
      name: 'error',
      properties: { title: 'a,b:' },
      data: 'x%y',
    });
    expect(parseCommand('text ##[set-output name=a;]v%5D')).toEqual({
      name: 'set-output',
      properties: { name: 'a' },
      data: 'v]',
    });
    for (const line of ['x ::error::y', '::unknown::y', ':: error::y', '::error', '##[section]x', '##[error'])
      expect(parseCommand(line)).toBeNull();
  });

  test('hears nothing between stop-commands and its token', () => {
    const reader = createOutputReader([]);
    for (const line of ['::stop-commands::tok', '::error::no', '::tok::', '::error::yes']) reader.readLine(line);
    expect(reader.commands.map(({ name, data }) => `${name} ${data}`)).toEqual(['stop-commands tok', 'error yes']);
    expect(reader.log()).toBe('::error::no\n##[error]yes');
  });

  test('reads pairs as the runner does', () => {
    expect(parsePairs('a=b=c\r\nd<<E\r\n\r\nE\r\ne=\n')).toEqual({ a: 'b=c', d: '', e: '' });
    expect(() => parsePairs('no pair')).toThrow("Invalid format 'no pair'");
  });
});

describe('checking out', () => {
  test('leaves a shallow clone on its branch, with the credentials that actions/checkout leaves', async () => {
    const simulated = await startGitHub({ files: { 'a.txt': 'hello\n' }, private: true });
    try {
      const token = simulated.issueToken('github-actions[bot]');
      const common = {
        serverUrl: simulated.serverUrl,
        token,
        owner: simulated.owner,
        repo: simulated.repo,
        ref: 'refs/heads/main',
      };
      const sha = await checkoutRepository({ ...common, dir: path.join(folder, 'kept') });
      expect(sha).toBe(simulated.snapshot().refs['refs/heads/main']);
      expect(await readFile(path.join(folder, 'kept', 'a.txt'), 'utf8')).toBe('hello\n');
      expect(await readFile(path.join(folder, 'kept', '.git', 'HEAD'), 'utf8')).toBe('ref: refs/heads/main\n');
      const config = (name: string): Promise<string> => readFile(path.join(folder, name, '.git', 'config'), 'utf8');
      expect(await config('kept')).toContain(
        `extraheader = AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
      );
      await checkoutRepository({ ...common, dir: path.join(folder, 'clean'), persistCredentials: false });
      expect(await config('clean')).not.toContain('AUTHORIZATION');
    } finally {
      await simulated.close();
    }
  });
});
