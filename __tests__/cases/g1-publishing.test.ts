// G1 of the reported failures, what is committed and where GitHub refuses it: one test a case, the final state asserted.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { conversationOn, mendingTurn, type Scene, shopFiles } from '../e2e/scene.ts';
import { startCase } from './in-process.ts';
import { branchesOf, onlyReply, restAs } from './seen.ts';

// A machine that does more than this must not fail a case.
jest.setTimeout(60_000);

const writeWorkflow = {
  calls: [{ name: 'write_file', arguments: { path: '.github/workflows/ci.yml', content: 'on: push\n' } }],
};

function askOnIssue(scene: Scene, inputs: Readonly<Record<string, string>> = {}) {
  const { number } = scene.github.openIssue({ author: 'wendy', title: 'Total is wrong' });
  return { number, run: conversationOn(scene, number)('wendy', '@harness9 fix it', { inputs }) };
}

test.each([
  ['before the push, as a protected path', {}, false],
  ['after it, where the workflow allows the path and GitHub does not', { protected_paths: '!.github/workflows/' }, true],
] as const)(
  'G1-15: a workflow file is split off %s; the rest is pushed, and its diff is shown',
  async (_name, inputs, isRefused) => {
    await using scene = await startCase([mendingTurn, writeWorkflow, { text: 'Mended.' }]);
    if (isRefused) {
      const message =
        'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission';
      scene.github.fail({ method: 'POST', path: /git\/refs$/, status: 403, body: { message } });
    }
    const { number, run } = askOnIssue(scene, inputs);
    const { outputs, exitCode } = await run;
    expect([exitCode, outputs.conclusion, outputs.pull_request_operation]).toEqual([0, 'success', 'created']);
    const files = (await scene.github.git('ls-tree', '-r', '--name-only', `refs/heads/${outputs.branch_name}`)).split('\n');
    expect(files).toEqual(Object.keys(shopFiles).sort());
    expect(await scene.github.git('show', `refs/heads/${outputs.branch_name}:src/total.js`)).toContain('sum + price');
    const reply = onlyReply(scene, number);
    expect(reply).toContain('**Not published:** `.github/workflows/ci.yml`');
    expect(reply).toContain('+on: push');
    expect(reply).toMatch(isRefused ? /a token with the permission "workflows"/ : /the path is protected/);
  },
);

test('G1-27: links are committed as links, also dangling and repointed ones, and none is followed out of the workspace', async () => {
  const files = {
    ...shopFiles,
    'left.md': { content: 'AGENTS.md', mode: '120000' as const },
    'moved.md': { content: 'AGENTS.md', mode: '120000' as const },
  };
  await using scene = await startCase(
    [
      {
        calls: [
          {
            name: 'bash',
            arguments: {
              command:
                'ln -s package.json link; ln -s ../nowhere src/dangling; ln -sfn src/total.js moved.md; ln -s /etc/hostname out',
            },
          },
        ],
      },
      { text: 'Linked.' },
    ],
    { files },
  );
  const { number, run } = askOnIssue(scene);
  const { outputs } = await run;
  expect(outputs.conclusion).toBe('success');
  const entryOf = async (file: string) => {
    const [mode = ''] = (await scene.github.git('ls-tree', `refs/heads/${outputs.branch_name}`, file)).split(' ');
    return mode === '' ? 'none' : `${mode} ${await scene.github.git('show', `refs/heads/${outputs.branch_name}:${file}`)}`;
  };
  expect(await Promise.all(['link', 'src/dangling', 'moved.md', 'left.md', 'out'].map(entryOf))).toEqual([
    '120000 package.json',
    '120000 ../nowhere',
    '120000 src/total.js',
    '120000 AGENTS.md',
    'none',
  ]);
  expect(onlyReply(scene, number)).toContain('**Not published:** `out`');
});

test('G1-34: a protected head keeps its commit, and the work is on a new branch with a pull request', async () => {
  await using scene = await startCase([mendingTurn, { text: 'Mended.' }], { protectedBranches: ['release'] });
  const { github } = scene;
  github.configure({ protectedBranches: [] });
  const pull = await github.openPull({ author: 'wendy', head: 'release', title: 'A note', files: { 'NOTE.md': 'hello\n' } });
  github.configure({ protectedBranches: ['release'] });
  const before = github.snapshot().refs['refs/heads/release'];
  const { outputs } = await conversationOn(scene, pull.number)('wendy', '@harness9 fix the total');
  expect(outputs).toMatchObject({ conclusion: 'success', pull_request_operation: 'created' });
  expect(github.snapshot().refs['refs/heads/release']).toBe(before);
  expect(await github.git('show', `refs/heads/${outputs.branch_name}:src/total.js`)).toContain('sum + price');
  expect(onlyReply(scene, pull.number)).toContain(`#${outputs.pull_request_number}`);
  expect(JSON.stringify(github.requests)).not.toMatch(/force\\?"\s*:\s*true/);
});

test('G1-34: where no branch is taken at all (signatures), the diff is in the reply', async () => {
  await using scene = await startCase([mendingTurn, { text: 'Mended.' }]);
  const message = 'Repository rule violations found\n\nCommits must have verified signatures.';
  scene.github.fail({ path: /\/git\/refs/, method: 'POST', status: 422, body: { message }, times: 99 });
  const { number, run } = askOnIssue(scene);
  expect((await run).outputs).toMatchObject({ conclusion: 'success', branch_name: '', pull_request_operation: 'none' });
  expect(branchesOf(scene)).toEqual(['main']);
  expect(onlyReply(scene, number)).toContain('Commits must have verified signatures');
  expect(onlyReply(scene, number)).toMatch(/```diff[\s\S]*\+.*sum \+ price/);
});

const shaSchema = z.object({ sha: z.string() });
const numberSchema = z.object({ number: z.number() });

/** A repository with two commits, as a submodule has it. */
async function submoduleAt(dir: string): Promise<readonly [string, string]> {
  await mkdir(dir, { recursive: true });
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd: dir })
      .toString()
      .trim();
  git('init', '--quiet');
  await writeFile(path.join(dir, 'lib.js'), 'one\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  const one = git('rev-parse', 'HEAD');
  git('commit', '--quiet', '--allow-empty', '-m', 'two');
  const two = git('rev-parse', 'HEAD');
  git('checkout', '--quiet', '--detach', one);
  return [one, two];
}

test('G1-36: a question on a pull request that moves a submodule commits nothing', async () => {
  await using scene = await startCase([
    { calls: [{ name: 'bash', arguments: { command: 'ls vendor/lib' } }] },
    { text: 'It moves the library.' },
  ]);
  const folder = await mkdtemp(path.join(tmpdir(), 'harness9-submodule-'));
  try {
    const [one, two] = await submoduleAt(folder);
    const { github } = scene;
    const commitOn = async (parent: string, sha: string) => {
      const entries = [
        { path: 'vendor/lib', mode: '160000', type: 'commit', sha },
        {
          path: '.gitmodules',
          mode: '100644',
          type: 'blob',
          content: '[submodule "lib"]\n\tpath = vendor/lib\n\turl = ../lib\n',
        },
      ];
      const base = await github.git('rev-parse', `${parent}^{tree}`);
      const tree = shaSchema.parse(await restAs(scene, 'octo-org', ['POST', 'git/trees', { base_tree: base, tree: entries }]));
      const commit = { message: 'Move it', tree: tree.sha, parents: [parent] };
      return shaSchema.parse(await restAs(scene, 'octo-org', ['POST', 'git/commits', commit])).sha;
    };
    const base = await commitOn(await github.git('rev-parse', 'main'), one);
    await restAs(scene, 'octo-org', ['PATCH', 'git/refs/heads/main', { sha: base }]);
    await restAs(scene, 'octo-org', ['POST', 'git/refs', { ref: 'refs/heads/bump', sha: await commitOn(base, two) }]);
    const pull = { title: 'Bump it', head: 'bump', base: 'main' };
    const { number } = numberSchema.parse(await restAs(scene, 'wendy', ['POST', 'pulls', pull]));
    const refs = github.snapshot().refs;
    const { outputs } = await conversationOn(scene, number)('wendy', '@harness9 what does this change?', {
      // As `submodules: recursive` leaves it: the default branch's commit of the submodule.
      afterCheckout: async (workspace) => {
        await rm(path.join(workspace, 'vendor/lib'), { recursive: true, force: true });
        execFileSync('git', ['-c', 'advice.detachedHead=false', 'clone', '--quiet', folder, path.join(workspace, 'vendor/lib')]);
        execFileSync('git', ['checkout', '--quiet', '--detach', one], { cwd: path.join(workspace, 'vendor/lib') });
      },
    });
    expect(outputs).toMatchObject({ conclusion: 'no_changes', files_changed: '0', error: '' });
    expect(github.snapshot().refs).toEqual(refs);
    expect(onlyReply(scene, number)).toContain('It moves the library.');
    expect(onlyReply(scene, number)).not.toContain('Not published');
  } finally {
    await rm(folder, { recursive: true });
  }
});
