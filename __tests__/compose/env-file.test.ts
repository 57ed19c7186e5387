import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadEnvFile } from '../../src/compose/env-file.ts';

const PATH = process.env.PATH ?? '';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'harness9-env-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const file = () => path.join(folder, '.env');

/** What is added to an environment of PATH and `env`, and the warnings. */
async function load(text: string | Uint8Array | null, env: Readonly<Record<string, string | undefined>> = {}, workDir = folder) {
  if (text !== null) await writeFile(file(), text);
  const loaded = await loadEnvFile(workDir, { PATH, ...env }, new AbortController().signal);
  const added = Object.entries(loaded.env).filter(([name, value]) => value !== { PATH, ...env }[name]);
  return { added: Object.fromEntries(added), warnings: loaded.warnings };
}

function git(...args: readonly string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'init.defaultBranch=main'];
  execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'ignore' });
}

describe('the form of a .env', () => {
  test.each<[string, string, Record<string, string>]>([
    ['[spec 5.3 Load] a pair a line', 'A=1\nB=two words\n', { A: '1', B: 'two words' }],
    ['[spec 5.3 comments and blank lines] are passed over', '# A=0\n\n   \n  # x\nB=1\n', { B: '1' }],
    ['[spec 5.3 quotes] a pair of double quotes is taken off', 'A="x y"\n', { A: 'x y' }],
    ['[spec 5.3 quotes] a pair of single quotes is taken off, and nothing in it means anything', "A='x\\ny'\n", { A: 'x\\ny' }],
    ['[spec 5.3 quotes] quotes that do not match stay', 'A="x\'\n', { A: '"x\'' }],
    ['[spec 5.3 quotes] one pair only', 'A="\'x\'"\n', { A: "'x'" }],
    ['the first = splits', 'A=b=c==\n', { A: 'b=c==' }],
    ['names and values are trimmed', '  A  =  1  \n', { A: '1' }],
    ['a value may be empty', 'A=\nB=""\n', { A: '', B: '' }],
    ['a line without = or without a name is no variable', '=1\nA\nB=2\n', { B: '2' }],
    ['export may stand before', 'export A=1\n', { A: '1' }],
    ['a comment may stand behind, outside of quotes', 'A=1 # one\nB="2 # two" # two\n', { A: '1', B: '2 # two' }],
    ['\\n means a new line in double quotes', 'A="x\\ny"\n', { A: 'x\ny' }],
    ['lines may be in quotes', 'A="x\ny"\nB=1\n', { A: 'x\ny', B: '1' }],
    ['the last of one name counts', 'A=1\nA=2\n', { A: '2' }],
    ['lines may end in CRLF, and the file in none', 'A=1\r\nB=2', { A: '1', B: '2' }],
    ['a byte order mark is none of the name', '\ufeffA=1\n', { A: '1' }],
    ['nothing is put in for $NAME', 'A=1\nB=$A-${A}\n', { A: '1', B: '$A-${A}' }],
    ['names of the prototype are names', '__proto__=1\nconstructor=2\n', {}],
  ])('%s', async (_name, text, added) => {
    expect(await load(text)).toEqual({ added, warnings: [] });
  });
});

describe('a .env and the process environment', () => {
  test('[spec 5.3 process environment first] also where the variable is set but empty', async () => {
    const loaded = await load('A=file\nB=file\nC=file\n', { A: 'process', B: '', C: undefined });
    expect(loaded).toEqual({ added: { C: 'file' }, warnings: [] });
  });

  test('[spec 5.3 missing file] is no error and no warning', async () => {
    expect(await load(null)).toEqual({ added: {}, warnings: [] });
    await symlink('nowhere', file());
    expect(await load(null)).toEqual({ added: {}, warnings: [] });
  });

  test.each<[string, () => Promise<unknown>, string]>([
    ['binary', () => writeFile(file(), 'A=1\0\n'), 'it is not UTF-8 text'],
    ['Latin-1', () => writeFile(file(), Buffer.from('A=\xe9\n', 'latin1')), 'it is not UTF-8 text'],
    ['huge', () => writeFile(file(), '#'.repeat(300_000)), 'it has 300000 bytes'],
    ['a folder', () => mkdir(file()), 'it is no regular file'],
    ['a named pipe', async () => execFileSync('mkfifo', [file()]), 'it is no regular file'],
    ['a ring of links', () => symlink('.env', file()), 'ELOOP'],
  ])('a file that is %s is a warning', async (_name, make, reason) => {
    await make();
    expect(await load(null)).toEqual({ added: {}, warnings: [expect.stringContaining(reason)] });
  });

  test('names that steer programs are never taken, in any case, and named in one line without their values', async () => {
    const names = [
      ...[
        'HOME',
        'ENV',
        'BASH_ENV',
        'SHELL',
        'IFS',
        'LD_PRELOAD',
        'DYLD_INSERT_LIBRARIES',
        'NODE_OPTIONS',
        'Node_Extra_Ca_Certs',
      ],
      ...[
        'GIT_DIR',
        'git_ssh_command',
        'npm_config_registry',
        'NPM_CONFIG_PREFIX',
        'HARNESS9_X',
        'PYTHONPATH',
        'RUBYOPT',
        'PERL5LIB',
      ],
      ...['SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'JAVA_TOOL_OPTIONS', 'path'],
      // What commands would get of ours (sandbox/child-environment.ts), and find their programs by.
      ...['JAVA_HOME', 'GOROOT', 'DOTNET_ROOT', 'ANDROID_HOME', 'RUNNER_TOOL_CACHE', 'AGENT_TOOLSDIRECTORY'],
    ];
    const { added, warnings } = await load(`${names.map((name) => `${name}=owned\n`).join('')}PATH=owned\nA=1\n`);
    expect(added).toEqual({ A: '1' });
    expect(warnings).toEqual([
      `[env] not taken from ${file()}: ${names.join(', ')} (names that steer programs are set in the environment only)`,
    ]);
  });

  test('a key that the process has is not asked about', async () => {
    git('init');
    await writeFile(file(), 'OPENAI_API_KEY=file\n');
    git('add', '-f', '.env');
    expect(await load(null, { OPENAI_API_KEY: '' })).toEqual({ added: {}, warnings: [] });
  });
});

/** What a repository could redirect the user's key with (I1). */
const guarded = {
  OPENAI_API_KEY: 'key-of-the-file',
  OPENAI_BASE_URL: 'https://evil.example',
  ANTHROPIC_BASE_URL: 'https://evil.example',
  anthropic_base_url: 'https://evil.example',
  OTHER_API_KEY: 'key-of-the-file',
  HTTPS_PROXY: 'http://evil.example',
  no_proxy: 'x',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'https://evil.example',
};
const guardedText = `A=1\n${Object.entries(guarded)
  .map(([name, value]) => `${name}=${value}\n`)
  .join('')}`;

describe('keys, endpoints and proxies (I1)', () => {
  test('are taken outside of a repository, also where there is no git', async () => {
    expect(await load(guardedText)).toEqual({ added: { A: '1', ...guarded }, warnings: [] });
    expect(await load(null, { PATH: '/nowhere' })).toEqual({ added: { A: '1', ...guarded }, warnings: [] });
  });

  test('are taken from a file that git does not track, ignored or not, also below the top and on no branch yet', async () => {
    git('init');
    expect(await load(guardedText)).toEqual({ added: { A: '1', ...guarded }, warnings: [] });
    await writeFile(path.join(folder, '.gitignore'), '.env\n');
    git('add', '.gitignore');
    git('commit', '-m', 'ignore');
    expect(await load(null)).toEqual({ added: { A: '1', ...guarded }, warnings: [] });
    const below = path.join(folder, 'below');
    await mkdir(below);
    await rename(file(), path.join(below, '.env'));
    expect(await load(null, {}, below)).toEqual({ added: { A: '1', ...guarded }, warnings: [] });
  });

  const refused = async (workDir = folder) => {
    const { added, warnings } = await load(null, {}, workDir);
    expect(added).toEqual({ A: '1' });
    expect(warnings).toHaveLength(1);
    for (const name of Object.keys(guarded)) expect(warnings[0]).toContain(name);
    expect(warnings[0]).not.toMatch(/evil|key-of-the-file/);
    return warnings[0];
  };

  test.each<[string, () => Promise<void> | void]>([
    ['committed', () => git('commit', '-m', 'x')],
    ['added', () => undefined],
    ['ignored too', () => writeFile(path.join(folder, '.gitignore'), '.env\n')],
    ['marked as not to be looked at', () => git('update-index', '--skip-worktree', '.env')],
  ])('are refused from a file that is tracked: %s', async (_name, change) => {
    await writeFile(file(), guardedText);
    git('init');
    git('add', '-f', '.env');
    await change();
    expect(await refused()).toContain('git tracks it');
  });

  test('are refused where the tracked name differs in case, as some file systems read it', async () => {
    git('init');
    await writeFile(path.join(folder, '.ENV'), 'A=0\n');
    git('add', '-f', '.ENV');
    await writeFile(file(), guardedText);
    await refused();
  });

  test('are refused where an outer repository tracks it, though an inner one was begun since', async () => {
    const inner = path.join(folder, 'a', '[b]*');
    await mkdir(inner, { recursive: true });
    await writeFile(path.join(inner, '.env'), guardedText);
    git('init');
    git('add', '-f', '.');
    git('-C', inner, 'init');
    git('-C', path.dirname(inner), 'init');
    expect(await refused(inner)).toContain('git tracks it');
    git('rm', '-r', '--cached', '.');
    expect(await load(null, {}, inner)).toEqual({ added: { A: '1', ...guarded }, warnings: [] });
  });

  test('are the inner repository’s question in a submodule, and the worktree’s in a worktree', async () => {
    const [module, other] = [path.join(folder, 'module'), path.join(folder, 'other')];
    await mkdir(module);
    git('-C', module, 'init');
    git('-C', module, 'commit', '--allow-empty', '-m', 'x');
    git('init');
    git('add', 'module');
    git('commit', '-m', 'x');
    git('worktree', 'add', other);
    for (const place of [module, other]) {
      await writeFile(path.join(place, '.env'), guardedText);
      expect(await load(null, {}, place)).toEqual({ added: { A: '1', ...guarded }, warnings: [] });
      git('-C', place, 'add', '-f', '.env');
      expect(await refused(place)).toContain('git tracks it');
    }
  });

  test('are not believed to a repository that the environment names', async () => {
    const elsewhere = path.join(folder, 'elsewhere');
    await writeFile(file(), guardedText);
    git('init');
    git('add', '-f', '.env');
    git('init', elsewhere);
    const named = { GIT_DIR: path.join(elsewhere, '.git'), GIT_WORK_TREE: folder, GIT_INDEX_FILE: '/dev/null' };
    const { added } = await load(null, { ...named, GIT_CEILING_DIRECTORIES: folder });
    expect(added).toEqual({ A: '1' });
  });

  test('are refused where a link leads to a tracked file', async () => {
    git('init');
    await writeFile(path.join(folder, 'settings'), guardedText);
    git('add', 'settings');
    await symlink('settings', file());
    await refused();
  });

  test('are refused where the folder only looks like a repository that tracks nothing', async () => {
    const inner = path.join(folder, 'inner');
    git('init');
    git('init', '--bare', inner);
    git('-C', inner, 'config', 'core.bare', 'false');
    git('-C', inner, 'config', 'core.worktree', inner);
    await writeFile(path.join(inner, '.env'), guardedText);
    expect(await refused(inner)).toContain('is not known');
  });

  test('are refused when git is not there, or cannot read the repository', async () => {
    await writeFile(file(), guardedText);
    git('init');
    const { added, warnings } = await load(null, { PATH: '/nowhere' });
    expect({ added, warnings }).toEqual({ added: { A: '1' }, warnings: [expect.stringContaining('no executable "git"')] });
    await writeFile(path.join(folder, '.git', 'HEAD'), 'broken');
    expect(await refused()).toContain('git ended with exit code 128');
  });

  test('are refused in a repository of another user', async () => {
    await writeFile(file(), guardedText);
    git('init');
    await chmod(folder, 0o777);
    const elsewhere = process.getuid?.() === 0 ? '65534' : undefined;
    // Only root can give files away; elsewhere git's own word for it is what the test above shows.
    if (elsewhere === undefined) return;
    execFileSync('chown', ['-R', elsewhere, folder]);
    expect(await refused()).toContain('dubious ownership');
  });

  test('what the repository configures is not run by the question', async () => {
    const trace = path.join(folder, 'ran');
    await writeFile(file(), guardedText);
    git('init');
    git('config', 'core.fsmonitor', `touch ${trace}`);
    git('config', 'core.hooksPath', folder);
    await load(null);
    expect(() => execFileSync('ls', [trace], { stdio: 'ignore' })).toThrow();
  });
});
