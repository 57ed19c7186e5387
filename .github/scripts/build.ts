// Owns the committed bundles: lib/ (made by tsc) → dist/<entry>/, one per entry. `--check` builds beside and compares. Never type-checks.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { report } from './problems.ts';

const run = promisify(execFile);

/** The product's four entries. Each must exist: action.yml and package.json name their bundles. */
const ENTRIES = ['main', 'post', 'cli', 'tool-host'] as const;
const NCC = 'node_modules/@vercel/ncc/dist/ncc/cli.js';

/** ncc minifies the entry only, never the lazy chunks; so esbuild takes every file. Names stay, since error reports show them. */
async function minifyFile(file: string): Promise<void> {
  const source = await readFile(file, 'utf8');
  const { code } = await transform(source, {
    minify: true,
    keepNames: true,
    target: 'node24',
    format: 'esm',
    legalComments: 'none',
  });
  await writeFile(file, code);
}

async function listFiles(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((item) => item.isFile())
    .map((item) => path.relative(folder, path.join(item.parentPath, item.name)))
    .sort();
}

async function bundleEntry(entry: string, out: string): Promise<void> {
  const folder = path.join(out, entry);
  await run(process.execPath, [NCC, 'build', `lib/${entry}.js`, '-o', folder, '--license', 'licenses.txt', '--no-cache', '-q']);
  const scripts = (await listFiles(folder)).filter((file) => file.endsWith('.js'));
  for (const file of scripts) await minifyFile(path.join(folder, file));
}

/** Writes the bundles of the entries that exist into `out`; returns the entries that are missing. */
async function buildInto(out: string): Promise<readonly string[]> {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  await writeFile(path.join(out, 'package.json'), '{"type":"module"}\n');
  const missing = ENTRIES.filter((entry) => !existsSync(`src/${entry}.ts`));
  const present = ENTRIES.filter((entry) => !missing.includes(entry));
  await Promise.all(present.map((entry) => bundleEntry(entry, out)));
  return missing.map((entry) => `src/${entry}.ts is missing: dist/${entry}/index.js was not built`);
}

async function differences(fresh: string, committed: string): Promise<readonly string[]> {
  const names = new Set([...(await listFiles(fresh)), ...(await listFiles(committed))]);
  const differing: string[] = [];
  for (const name of [...names].sort()) {
    const [left, right] = [path.join(fresh, name), path.join(committed, name)];
    if (!existsSync(left)) differing.push(`${committed}/${name} is stale: the build no longer makes it`);
    else if (!existsSync(right)) differing.push(`${committed}/${name} is missing`);
    else if (!(await readFile(left)).equals(await readFile(right))) differing.push(`${committed}/${name} differs from the build`);
  }
  return differing;
}

/** Builds into a temporary folder first, so that dist/ is never half written while somebody runs it. */
async function main(isCheck: boolean): Promise<readonly string[]> {
  const temporary = await mkdtemp(path.join(tmpdir(), 'harness9-dist-'));
  try {
    const missing = await buildInto(temporary);
    if (isCheck) {
      const stale = await differences(temporary, 'dist');
      const hint = stale.length > 0 ? ['Run `npm run build` and commit dist/ with the change.'] : [];
      return [...missing, ...stale, ...hint];
    }
    await rm('dist', { recursive: true, force: true });
    await cp(temporary, 'dist', { recursive: true });
    return missing;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

report(await main(process.argv.includes('--check')));
