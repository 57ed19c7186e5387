// A folder as an embedder has one: `lib/` compiled from the sources as they are now, the packages, and the examples.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const repository = path.resolve(import.meta.dirname, '../..');

/** Its path; `remove` it after the tests. */
export async function createLibFolder(): Promise<{ readonly dir: string; readonly remove: () => Promise<void> }> {
  const dir = await mkdtemp(path.join(tmpdir(), 'harness9-embed-'));
  const tsc = path.join(repository, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.json', '--outDir', path.join(dir, 'lib')], {
    cwd: repository,
  });
  await cp(path.join(repository, '.github/examples'), path.join(dir, '.github/examples'), { recursive: true });
  await cp(path.join(repository, 'package.json'), path.join(dir, 'package.json'));
  await symlink(path.join(repository, 'node_modules'), path.join(dir, 'node_modules'));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}
