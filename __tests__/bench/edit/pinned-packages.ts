// The packages of the shared benchmark, at their versions, in a folder under the system's temporary one. The only part that needs a registry.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SourcePackage } from './sources.ts';

const INSTALLED = ['rxjs@7.8.1', 'express@4.19.2', 'ajv@8.17.1', 'commander@12.1.0', 'node-gyp@10.2.0'];
/** The ones above and some of what they depend on. The other half of node-gyp was kept for another set. */
export const PINNED_PACKAGES: readonly SourcePackage[] = [
  ...['rxjs', 'express', 'ajv', 'commander'].map((name) => ({ name })),
  { name: 'node-gyp', half: true },
  ...['body-parser', 'send', 'qs', 'debug'].map((name) => ({ name })),
];

/** The node_modules that holds them; installed once, without their scripts. Throws when npm does. */
export function installPinnedPackages(): string {
  const folder = path.join(tmpdir(), 'harness9-edit-bench');
  const stamp = path.join(folder, '.installed');
  const wanted = INSTALLED.join(' ');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
    const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
    execFileSync('npm', ['install', ...quietly, ...INSTALLED], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    writeFileSync(stamp, wanted);
  }
  return path.join(folder, 'node_modules');
}
