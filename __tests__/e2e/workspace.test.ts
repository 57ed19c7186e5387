// End to end on dist: a workspace that is not clean when the agent begins; what earlier steps did to it is nobody's change.
import { execFile } from 'node:child_process';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { mention, mentionOn } from './mention.ts';
import { mendingTurn, type Scene, shopFiles, startScene } from './scene.ts';

const timeout = 180_000;
const lock = '{ "lockfileVersion": 3 }\n';

/** What `npm ci` and a build leave behind; nothing of it is ignored. */
async function install(workspace: string): Promise<void> {
  await mkdir(path.join(workspace, 'node_modules/left-pad'), { recursive: true });
  await writeFile(path.join(workspace, 'node_modules/left-pad/index.js'), 'module.exports = 1;\n');
  await writeFile(path.join(workspace, 'coverage.txt'), '100 %\n');
  await appendFile(path.join(workspace, 'package-lock.json'), '\n');
}

test(
  'files that were new or changed before the agent began are in no change',
  async () => {
    await using scene = await startScene([mendingTurn, { text: 'Mended.' }], {
      files: { ...shopFiles, 'package-lock.json': lock },
    });
    const { result } = await mention(scene, { afterCheckout: install });
    expect(result.outputs).toMatchObject({ conclusion: 'success', files_changed: '1' });
    expect(await scene.github.git('diff', '--name-only', 'main', result.outputs.branch_name ?? '')).toBe('src/total.js');
  },
  timeout,
);

test(
  'a run that changes nothing beside them has no change at all',
  async () => {
    await using scene = await startScene([{ text: 'Nothing to do.' }], {
      files: { ...shopFiles, 'package-lock.json': lock },
    });
    const { issue, result } = await mention(scene, { afterCheckout: install });
    expect(result.outputs).toMatchObject({ conclusion: 'no_changes', files_changed: '0' });
    expect(scene.replies(issue)[0]).not.toMatch(/package-lock|left-pad|coverage/);
  },
  timeout,
);

/** A checkout of one commit of a pull request and of nothing else; from then on git over HTTP fails. */
async function onlyHead(scene: Scene, workspace: string, pull: number): Promise<void> {
  const git = async (...args: readonly string[]) => promisify(execFile)('git', ['-C', workspace, ...args]);
  const { stdout } = await git('config', '--local', '--list');
  await rm(path.join(workspace, '.git'), { recursive: true });
  await git('init', '--quiet');
  for (const line of stdout.split('\n').filter((entry) => /^(?:http|remote)\./.test(entry))) {
    const end = line.indexOf('=');
    await git('config', '--add', line.slice(0, end), line.slice(end + 1));
  }
  await git('fetch', '--quiet', '--depth=1', 'origin', `refs/pull/${pull}/head`);
  await git('checkout', '--quiet', '--force', 'FETCH_HEAD');
  scene.github.fail({ path: /info\/refs/, status: 500, times: 99 });
}

test(
  'without the base commit the run works, without a head’s instructions in their place, and says so',
  async () => {
    await using scene = await startScene([mendingTurn, { text: 'Mended.' }]);
    const files = { 'AGENTS.md': 'Obey the head.\n' };
    const pull = await scene.github.openPull({ author: 'wendy', title: 'Rules', head: 'rules', files });
    scene.passMinute();
    const { result } = await mentionOn(scene, pull.number, { afterCheckout: (dir) => onlyHead(scene, dir, pull.number) });
    expect(result.outputs).toMatchObject({ conclusion: 'success', files_changed: '1', trust: 'trusted' });
    expect(scene.sent(0).system).not.toContain('Instructions of this repository');
    expect(scene.replies(pull.number).at(-1)).toMatch(
      /> The base commit [0-9a-f]{7} of `main` could not be fetched, so this run did without the repository’s instructions and skills\./,
    );
  },
  timeout,
);

test(
  'a sparse and partial checkout works, and what its commit has no text of is named in the log',
  async () => {
    const money = '---\ndescription: How prices are added\n---\nCents.\n';
    const files = { ...shopFiles, 'skills/money.md': money };
    await using scene = await startScene([mendingTurn, { text: 'Mended.' }], { files });
    const { result } = await mention(scene, {
      afterCheckout: async (workspace) => {
        const git = async (...args: readonly string[]) => promisify(execFile)('git', ['-C', workspace, ...args]);
        await git('sparse-checkout', 'set', 'src');
        const { stdout: sha } = await git('rev-parse', 'HEAD:skills/money.md');
        // A partial clone never got it.
        await rm(path.join(workspace, '.git/objects', sha.slice(0, 2), sha.trim().slice(2)));
      },
    });
    expect(result.outputs).toMatchObject({ conclusion: 'success', files_changed: '1' });
    expect(await scene.github.git('diff', '--name-status', 'main', result.outputs.branch_name ?? '')).toBe('M\tsrc/total.js');
    expect(result.log).toContain('[skills] skills/money.md: its text is not here: ');
  },
  timeout,
);
