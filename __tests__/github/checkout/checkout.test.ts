import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { checkOut } from '../../../src/github/checkout/checkout-head.ts';
import { hideCredentials } from '../../../src/github/checkout/credentials.ts';
import { createBaseReader } from '../../../src/github/checkout/read-base.ts';
import { createRunGit } from '../../../src/github/checkout/run-git.ts';
import { startGitHub } from '../../../src/simulator/github/simulated-github.ts';
import { baseOf, commitAll, createRepository, gitPath, never, type Place, placeAt, runGit } from '../git-workspace.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

interface Hub {
  readonly serverUrl: string;
  readonly root: string;
  readonly author: Place;
  readonly workspace: Place;
  /** Commits these files on a new branch and offers them as pull request 7. */
  openPull(files: Readonly<Record<string, string>>): string;
}

/** A server folder with acme/shop, an author's clone, and a shallow clone as actions/checkout makes it. */
function createHub(depth: readonly string[] = ['--depth=1']): Hub {
  const root = mkdtempSync(join(tmpdir(), 'h9-hub-'));
  roots.push(root);
  const bare = join(root, 'server/acme/shop');
  mkdirSync(join(root, 'server/acme'), { recursive: true });
  const author = createRepository({ 'a.txt': 'main\n', 'AGENTS.md': 'Base rules.\n' });
  roots.push(author.root);
  author.git('clone', '--quiet', '--bare', author.workDir, bare);
  author.git('remote', 'add', 'origin', bare);
  const workDir = join(root, 'work');
  author.git('clone', '--quiet', ...depth, `file://${bare}`, workDir);
  return {
    serverUrl: `file://${join(root, 'server')}`,
    root,
    author,
    workspace: placeAt(root, workDir),
    openPull: (files) => {
      author.git('checkout', '--quiet', '-b', `pull-${roots.length}-${Math.floor(performance.now())}`);
      for (const [path, content] of Object.entries(files)) author.write(path, content);
      const sha = commitAll(author, 'pull');
      author.git('push', '--quiet', '--force', 'origin', 'HEAD:refs/pull/7/head');
      return sha;
    },
  };
}

function request(hub: Hub, sha: string, baseSha: string) {
  return {
    workDir: hub.workspace.workDir,
    plan: {
      checkoutSha: sha,
      base: { branch: 'main', sha: baseSha },
      head: { branch: 'feat', sha, repository: 'someone/shop', isFork: true, movedAfterTrigger: false },
      thread: { kind: 'pull_request' as const, number: 7, title: 't' },
      repository: { id: 1, owner: 'acme', name: 'shop', defaultBranch: 'main', isPrivate: false },
    },
    serverUrl: hub.serverUrl,
    token: 'tok-123456',
    gitPath,
    env: {},
  };
}

const head = (place: Place) => place.git('rev-parse', 'HEAD').trim();

describe('checkOut', () => {
  test('a fork’s head comes through the pull request’s ref and is asserted (G1-07, B6)', async () => {
    const hub = createHub();
    const base = head(hub.workspace);
    const sha = hub.openPull({ 'a.txt': 'pull\n' });
    expect(await checkOut(request(hub, sha, base), never)).toEqual({ sha, hasBase: true });
    expect(head(hub.workspace)).toBe(sha);
    expect(readFileSync(join(hub.workspace.workDir, 'a.txt'), 'utf8')).toBe('pull\n');
    expect(hub.workspace.git('rev-parse', '--is-shallow-repository').trim()).toBe('true');
  });

  test('a whole clone stays whole', async () => {
    const hub = createHub([]);
    const sha = hub.openPull({ 'a.txt': 'pull\n' });
    await checkOut(request(hub, sha, head(hub.workspace)), never);
    expect(hub.workspace.git('rev-parse', '--is-shallow-repository').trim()).toBe('false');
  });

  test('a head that was force-pushed after the trigger: the pinned commit, not the new one (B6)', async () => {
    const hub = createHub();
    const pinned = hub.openPull({ 'a.txt': 'pinned\n' });
    hub.author.git('push', '--quiet', 'origin', 'HEAD:refs/heads/keeps-it-reachable');
    hub.author.git('checkout', '--quiet', 'main');
    const moved = hub.openPull({ 'a.txt': 'evil\n' });
    expect(moved).not.toBe(pinned);
    await checkOut(request(hub, pinned, head(hub.workspace)), never);
    expect(readFileSync(join(hub.workspace.workDir, 'a.txt'), 'utf8')).toBe('pinned\n');
  });

  test('a commit that the server does not have is a clear error', async () => {
    const hub = createHub();
    await expect(checkOut(request(hub, 'a'.repeat(40), head(hub.workspace)), never)).rejects.toMatchObject({
      code: 'HEAD_UNREACHABLE',
      message: expect.stringContaining('a'.repeat(40)),
    });
  });

  test('a folder that is no checkout names actions/checkout', async () => {
    const hub = createHub();
    const empty = mkdtempSync(join(tmpdir(), 'h9-empty-'));
    roots.push(empty);
    const wanted = { ...request(hub, 'a'.repeat(40), 'a'.repeat(40)), workDir: empty };
    await expect(checkOut(wanted, never)).rejects.toMatchObject({
      code: 'NOT_A_CHECKOUT',
      hint: expect.stringContaining('actions/checkout'),
    });
  });

  test('a folder that is not there, and one inside the checkout, are told with the input’s name', async () => {
    const hub = createHub();
    const wanted = request(hub, 'a'.repeat(40), 'a'.repeat(40));
    hub.workspace.write('src/x.txt', 'x');
    const check = (folder: string) => checkOut({ ...wanted, workDir: join(wanted.workDir, folder) }, never);
    await expect(check('missing')).rejects.toMatchObject({
      code: 'NOT_A_CHECKOUT',
      message: `there is no folder "${wanted.workDir}/missing"`,
      hint: expect.stringContaining('`working_directory`'),
    });
    await expect(check('src')).rejects.toMatchObject({
      code: 'NOT_A_CHECKOUT',
      message: `"${wanted.workDir}/src" is the folder "src/" inside a git checkout and not its root`,
      hint: expect.stringContaining('`working_directory`'),
    });
  });

  test('local changes in the way are not thrown away', async () => {
    const hub = createHub();
    const sha = hub.openPull({ 'a.txt': 'pull\n' });
    hub.workspace.write('a.txt', 'an earlier step\n');
    await expect(checkOut(request(hub, sha, head(hub.workspace)), never)).rejects.toMatchObject({ code: 'CHECKOUT_REFUSED' });
    expect(readFileSync(join(hub.workspace.workDir, 'a.txt'), 'utf8')).toBe('an earlier step\n');
  });

  test('no hook, no filter and no monitor runs (E1, E2, E3)', async () => {
    const hub = createHub();
    const proof = join(hub.root, 'pwned');
    const evil = join(hub.root, 'evil.sh');
    writeFileSync(evil, `#!/bin/sh\ntouch ${proof}\ncat\n`, { mode: 0o755 });
    const sha = hub.openPull({ 'a.txt': 'pull\n', '.gitattributes': '*.txt filter=any\n' });
    writeFileSync(join(hub.workspace.workDir, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
    hub.workspace.git('config', 'filter.any.smudge', evil);
    hub.workspace.git('config', 'filter.any.required', 'true');
    hub.workspace.git('config', 'core.fsmonitor', evil);
    await checkOut(request(hub, sha, head(hub.workspace)), never);
    expect(existsSync(proof)).toBe(false);
    expect(readFileSync(join(hub.workspace.workDir, 'a.txt'), 'utf8')).toBe('pull\n');
  });

  test('the token is in no argument, no file and no configuration', async () => {
    const hub = createHub();
    const sha = hub.openPull({ 'a.txt': 'pull\n' });
    await checkOut(request(hub, sha, head(hub.workspace)), never);
    const basic = Buffer.from('x-access-token:tok-123456').toString('base64');
    const config = readFileSync(join(hub.workspace.workDir, '.git/config'), 'utf8');
    expect(config.includes(basic) || config.includes('tok-123456')).toBe(false);
  });

  test('our header replaces the one that actions/checkout left', async () => {
    const hub = createHub();
    hub.workspace.git('config', 'http.https://github.com/.extraheader', 'AUTHORIZATION: basic old');
    const url = 'https://github.com/acme/shop';
    const config: [string, string][] = [
      [`http.${url}.extraheader`, ''],
      [`http.${url}.extraheader`, 'AUTHORIZATION: basic new'],
    ];
    const asked = await runGit(
      { cwd: hub.workspace.workDir, args: ['config', '--get-urlmatch', 'http.extraheader', url], config },
      never,
    );
    expect(asked.stdout.toString('utf8').trim()).toBe('AUTHORIZATION: basic new');
  });
});

describe('checkOut over HTTP', () => {
  test('a private repository’s fork head is fetched with our token, though an old header lies in the configuration (G1-07)', async () => {
    const server = await startGitHub({ owner: 'acme', repo: 'shop', private: true, files: { 'a.txt': 'main\n' } });
    const root = mkdtempSync(join(tmpdir(), 'h9-http-'));
    roots.push(root);
    try {
      const token = server.issueToken('github-actions[bot]');
      const header = (value: string) => `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${value}`).toString('base64')}`;
      const workDir = join(root, 'work');
      const clone = [
        '-c',
        `http.extraheader=${header(token)}`,
        'clone',
        '--quiet',
        '--depth=1',
        `${server.serverUrl}/acme/shop`,
        workDir,
      ];
      await promisify(execFile)(gitPath, clone, { env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' } });
      const workspace = placeAt(root, workDir);
      workspace.git('config', `http.${server.serverUrl}/.extraheader`, header('expired'));
      const pull = await server.openPull({
        author: 'eve',
        fork: 'eve/shop',
        head: 'x',
        title: 't',
        files: { 'a.txt': 'pull\n' },
      });
      const sha = await server.git('rev-parse', `refs/pull/${pull.number}/head`);
      const hub: Hub = { serverUrl: server.serverUrl, root, author: workspace, workspace, openPull: () => '' };
      const asked = request(hub, sha, head(workspace));
      const plan = { ...asked.plan, thread: { kind: 'pull_request' as const, number: pull.number, title: 't' } };
      await expect(checkOut({ ...asked, plan, token: 'wrong-token' }, never)).rejects.toMatchObject({ code: 'HEAD_UNREACHABLE' });
      expect(await checkOut({ ...asked, plan, token }, never)).toEqual({ sha, hasBase: true });
      expect(readFileSync(join(workDir, 'a.txt'), 'utf8')).toBe('pull\n');
    } finally {
      await server.close();
    }
  });
});

describe('hideCredentials', () => {
  test('the header of checkout v4 is taken out and comes back byte for byte (C6)', async () => {
    const { workspace } = createHub();
    const path = join(workspace.workDir, '.git/config');
    writeFileSync(
      path,
      '# mine\n[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic c2VjcmV0\n[user]\n\tname = x\n',
      { flag: 'a' },
    );
    const original = readFileSync(path);
    const hidden = await hideCredentials(workspace.workDir, runGit, never);
    expect(readFileSync(path, 'utf8')).not.toContain('c2VjcmV0');
    expect(workspace.git('config', 'user.name').trim()).toBe('t');
    writeFileSync(path, '[core]\n\tfsmonitor = /tmp/evil\n');
    await hidden.restore();
    expect(readFileSync(path).equals(original)).toBe(true);
  });

  test('the include of checkout v6 and its file are taken away and come back (C6)', async () => {
    const { workspace, root } = createHub();
    const path = join(workspace.workDir, '.git/config');
    const kept = join(root, 'git-credentials-1f2e.config');
    writeFileSync(kept, '[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic c2VjcmV0\n', { mode: 0o600 });
    workspace.git('config', `includeIf.gitdir:${workspace.workDir}/.git.path`, kept);
    const original = readFileSync(path);
    const hidden = await hideCredentials(workspace.workDir, runGit, never);
    expect(existsSync(kept)).toBe(false);
    expect(readFileSync(path, 'utf8')).not.toContain('git-credentials');
    await hidden.restore();
    expect(readFileSync(path).equals(original)).toBe(true);
    expect(readFileSync(kept, 'utf8')).toContain('c2VjcmV0');
    expect(statSync(kept).mode & 0o777).toBe(0o600);
  });

  test('a token in a remote’s address is taken out', async () => {
    const { workspace } = createHub();
    workspace.git('remote', 'set-url', 'origin', 'https://x-access-token:c2VjcmV0@github.com/acme/shop');
    await hideCredentials(workspace.workDir, runGit, never);
    expect(workspace.git('remote', 'get-url', 'origin').trim()).toBe('https://github.com/acme/shop');
  });

  test('nothing to hide changes nothing', async () => {
    const { workspace } = createHub();
    const original = readFileSync(join(workspace.workDir, '.git/config'));
    const hidden = await hideCredentials(workspace.workDir, runGit, never);
    expect(hidden.files).toEqual([]);
    expect(readFileSync(join(workspace.workDir, '.git/config')).equals(original)).toBe(true);
  });

  test('a link in place of the file is replaced, a replaced folder is reported', async () => {
    const { workspace, root } = createHub();
    const path = join(workspace.workDir, '.git/config');
    workspace.git('config', 'http.https://github.com/.extraheader', 'AUTHORIZATION: basic c2VjcmV0');
    const hidden = await hideCredentials(workspace.workDir, runGit, never);
    const trap = join(root, 'trap');
    writeFileSync(trap, '');
    rmSync(path);
    symlinkSync(trap, path);
    await hidden.restore();
    expect(readFileSync(trap, 'utf8')).toBe('');
    rmSync(join(workspace.workDir, '.git'), { recursive: true });
    mkdirSync(join(workspace.workDir, '.git'));
    await expect(hidden.restore()).rejects.toMatchObject({ code: 'CREDENTIALS_NOT_RESTORED' });
  });
});

describe('the base reader', () => {
  test('texts come from the commit and not from the disk (B8)', async () => {
    const { workspace } = createHub();
    const reader = await baseOf(workspace);
    workspace.write('AGENTS.md', 'Evil rules.\n');
    expect(await (await reader.openTree(head(workspace), never)).read('AGENTS.md', never)).toBe('Base rules.\n');
    expect(await (await reader.openTree(head(workspace), never)).read('missing.md', never)).toBe(null);
  });

  test('links are followed inside the repository only (G1-44)', async () => {
    const place = createRepository({ 'AGENTS.md': 'rules\n', 'docs/x.md': 'x\n' });
    roots.push(place.root);
    mkdirSync(join(place.workDir, 'skills/review'), { recursive: true });
    symlinkSync('../../AGENTS.md', join(place.workDir, 'skills/review/SKILL.md'));
    symlinkSync('docs', join(place.workDir, 'folder'));
    symlinkSync('../outside', join(place.workDir, 'up'));
    symlinkSync('/etc/passwd', join(place.workDir, 'absolute'));
    symlinkSync('loop', join(place.workDir, 'loop'));
    const commit = commitAll(place, 'links');
    const reader = await baseOf(place);
    const read = (path: string) => reader.openTree(commit, never).then((tree) => tree.read(path, never));
    expect(await read('skills/review/SKILL.md')).toBe('rules\n');
    expect(await read('folder/x.md')).toBe('x\n');
    expect([await read('up'), await read('absolute'), await read('loop'), await read('../x'), await read('docs')]).toEqual(
      Array(5).fill(null),
    );
  });

  test('what stands for a file in Git LFS is not its text', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d'.repeat(32)}\nsize 12\n`;
    const place = createRepository({ 'AGENTS.md': pointer, 'CLAUDE.md': `Of ${pointer}` });
    roots.push(place.root);
    const tree = await (await baseOf(place)).openTree(head(place), never);
    expect([await tree.read('AGENTS.md', never), await tree.read('CLAUDE.md', never)]).toEqual([null, `Of ${pointer}`]);
  });

  test('what is read at once costs git no more than one file does', async () => {
    const files = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}.md`, `text ${index}\n`]));
    const place = createRepository(files);
    roots.push(place.root);
    const calls: string[] = [];
    const git: typeof runGit = (call, signal) => {
      calls.push(call.args.find((arg) => !arg.startsWith('--git-dir')) ?? '');
      return runGit(call, signal);
    };
    const privateDir = join(place.root, 'counted.git');
    const tree = await (await createBaseReader({ workDir: place.workDir, privateDir, git }, never)).openTree(head(place), never);
    calls.length = 0;
    const names = [...Object.keys(files), 'missing.md', 'f0.md'];
    expect(await Promise.all(names.map((name) => tree.read(name, never)))).toEqual([...Object.values(files), null, 'text 0\n']);
    expect(calls).toEqual(['cat-file', 'cat-file']);
    expect(await tree.read('f7.md', never)).toBe('text 7\n');
    expect(calls).toHaveLength(4);
  });

  test('an object that the agent forged is not believed (E5)', async () => {
    const { workspace } = createHub();
    workspace.write('big.txt', 'honest\n');
    const commit = commitAll(workspace, 'loose');
    const sha = workspace.git('rev-parse', 'HEAD:big.txt').trim();
    const reader = await baseOf(workspace);
    expect(await (await reader.openTree(commit, never)).read('big.txt', never)).toBe('honest\n');
    const path = join(workspace.workDir, '.git/objects', sha.slice(0, 2), sha.slice(2));
    rmSync(path);
    writeFileSync(path, deflateSync('blob 7\0forged\n'));
    expect(await reader.readBlobs([sha], never)).toEqual(new Map());
    expect(await (await reader.openTree(commit, never)).read('big.txt', never)).toBe(null);
  });

  test('the workspace’s configuration is not read (E2)', async () => {
    const { workspace } = createHub();
    const commit = head(workspace);
    const reader = await baseOf(workspace);
    writeFileSync(join(workspace.workDir, '.git/config'), 'this is no configuration [');
    expect(await (await reader.openTree(commit, never)).read('AGENTS.md', never)).toBe('Base rules.\n');
  });
});

describe('runGit', () => {
  test('the environment of the runner does not reach git', async () => {
    const run = createRunGit(gitPath, {
      GIT_DIR: '/nowhere',
      GIT_CONFIG_PARAMETERS: "'alias.x=!id'",
      GITHUB_TOKEN: 't',
      HTTPS_PROXY: 'http://p',
    });
    const result = await run({ cwd: '/', args: ['-c', 'alias.e=!env', 'e'] }, never);
    const names = result.stdout
      .toString('utf8')
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names).toContain('HTTPS_PROXY');
    expect(names.filter((name) => name === 'GITHUB_TOKEN' || name === 'GIT_DIR')).toEqual([]);
  });

  test('no transport is open but the one that a call names, whatever a configuration allows', async () => {
    const { workspace } = createHub();
    workspace.git('config', 'protocol.file.allow', 'always');
    const url = `file://${workspace.workDir}`;
    const call = { cwd: workspace.workDir, args: ['ls-remote', url], config: [['protocol.allow', 'always']] as const };
    expect((await runGit(call, never)).stderr).toContain("transport 'file' not allowed");
    expect((await runGit({ ...call, protocol: 'https' }, never)).exitCode).toBe(128);
    expect((await runGit({ ...call, protocol: 'file' }, never)).exitCode).toBe(0);
  });

  test('a name without a path to it is refused (D7)', () => {
    expect(() => createRunGit('git', {})).toThrow(expect.objectContaining({ code: 'GIT_NOT_FOUND' }));
  });
});
