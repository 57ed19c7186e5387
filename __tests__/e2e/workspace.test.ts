// End to end on dist: a workspace that is not clean when the agent begins; what earlier steps did to it is nobody's change.
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { mention } from './mention.ts';
import { mendingTurn, shopFiles, startScene } from './scene.ts';

const timeout = 60_000;
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
