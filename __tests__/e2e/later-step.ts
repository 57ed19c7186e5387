// The action as a job sees it that has another step after it: what outputs name is read before the runner cleans up.
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { RunActionOptions } from '../../src/simulator/runner/contract.ts';

const repository = path.join(import.meta.dirname, '../..');

export interface LaterStep extends AsyncDisposable {
  /** For the run: an action whose post entry keeps the runner's temporary folder first. */
  readonly options: Pick<RunActionOptions, 'actionDir' | 'env'>;
  /** The file that an output names, as it was when main had ended. Rejects when it was not there. */
  read(named: string | undefined): Promise<Buffer>;
}

/** Makes the step; its folder goes when it is disposed. */
export async function laterStep(): Promise<LaterStep> {
  const folder = await mkdtemp(path.join(tmpdir(), 'harness9-later-'));
  const actionDir = path.join(folder, 'action');
  const kept = path.join(folder, 'kept');
  await mkdir(actionDir);
  await symlink(path.join(repository, 'dist'), path.join(actionDir, 'dist'));
  await cp(path.join(repository, 'package.json'), path.join(actionDir, 'package.json'));
  const metadata = await readFile(path.join(repository, 'action.yml'), 'utf8');
  await writeFile(path.join(actionDir, 'action.yml'), metadata.replace('post: dist/post/index.js', 'post: keep.js'));
  const keep = [
    "import { cpSync } from 'node:fs';",
    'cpSync(process.env.RUNNER_TEMP, process.env.KEEP_IN, { recursive: true });',
    "await import('./dist/post/index.js');",
  ];
  await writeFile(path.join(actionDir, 'keep.js'), keep.join('\n'));
  return {
    options: { actionDir, env: { KEEP_IN: kept } },
    read: async (named) => {
      const [, inTemp = 'output not set'] = /\/_temp\/(.*)$/.exec(named ?? '') ?? [];
      return readFile(path.join(kept, inTemp));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
