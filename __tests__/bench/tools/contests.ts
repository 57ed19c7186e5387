// What each tool is asked to do in the bench, and the least that does the same: its floor.
import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The files of the workspace that the contests work on. */
export const PAGE_FILE = 'page.txt';
export const EDITED_FILE = 'edited.ts';
export const WRITTEN_FILE = 'written.txt';
export const TREE = 'tree';
/** One call reads or writes as much as one page of read_file has. */
export const PAGE_BYTES = 16_000;
export const TREE_FOLDERS = 40;
export const FILES_A_FOLDER = 50;
export const NEEDLE = 'needle';
const MUCH_OUTPUT = 64_000_000;

export interface Contest {
  /** The tool's name, and what it does when there is more than one contest for it. */
  readonly name: string;
  readonly tool: string;
  /** Different from round to round, as the calls of a model are. */
  readonly args: (round: number) => unknown;
  /** What its floor is, in words. */
  readonly than: string;
  readonly floor: (folder: string, round: number) => Promise<void>;
  /** What one call moves, where a rate in megabytes says more than calls. */
  readonly bytes?: number;
  /** Calls of one measurement. */
  readonly calls: number;
}

const page = (round: number): string => `${round}\n`.padStart(PAGE_BYTES, 'line of text\n');
const lineFor = (round: number): string => `const value = ${round};`;
const command = `head -c ${MUCH_OUTPUT} /dev/zero | tr '\\0' x`;

export const CONTESTS: readonly Contest[] = [
  {
    ...{ name: 'read_file', tool: 'read_file', calls: 200, bytes: PAGE_BYTES, than: 'fs.readFile' },
    args: () => ({ path: PAGE_FILE }),
    floor: async (folder) => void (await readFile(path.join(folder, PAGE_FILE), 'utf8')),
  },
  {
    ...{ name: 'write_file', tool: 'write_file', calls: 100, bytes: PAGE_BYTES, than: 'fs.writeFile' },
    args: (round) => ({ path: WRITTEN_FILE, content: page(round) }),
    floor: async (folder, round) => writeFile(path.join(folder, 'written-by-floor.txt'), page(round)),
  },
  {
    ...{ name: 'edit_file', tool: 'edit_file', calls: 100, than: 'readFile, replace, writeFile' },
    args: (round) => ({ path: EDITED_FILE, old_string: lineFor(round), new_string: lineFor(round + 1) }),
    floor: async (folder, round) => {
      const file = path.join(folder, `floor-${EDITED_FILE}`);
      const text = await readFile(file, 'utf8');
      await writeFile(
        file,
        text.replace(lineFor(round), () => lineFor(round + 1)),
      );
    },
  },
  {
    ...{ name: 'glob', tool: 'glob', calls: 10, than: 'fs.readdir of the tree' },
    args: (round) => ({ pattern: `${TREE}/**/*${round % 10}.ts` }),
    floor: async (folder) => void (await readdir(path.join(folder, TREE), { recursive: true })),
  },
  {
    ...{ name: 'grep', tool: 'grep', calls: 10, than: 'readdir, readFile, RegExp' },
    args: (round) => ({ pattern: `${NEEDLE}${round % 10}\\b`, path: TREE }),
    floor: async (folder, round) => searchPlainly(path.join(folder, TREE), new RegExp(`${NEEDLE}${round % 10}\\b`)),
  },
  {
    ...{ name: 'bash, true', tool: 'bash', calls: 30, than: 'spawn of true' },
    args: () => ({ command: 'true' }),
    floor: (folder) => runPlainly(['true'], folder),
  },
  {
    ...{ name: 'bash, 64 MB out', tool: 'bash', calls: 1, bytes: MUCH_OUTPUT, than: 'spawn, output counted' },
    args: () => ({ command }),
    floor: (folder) => runPlainly(['bash', '-c', command], folder),
  },
];

async function searchPlainly(folder: string, pattern: RegExp): Promise<void> {
  let found = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = await readFile(path.join(entry.parentPath, entry.name), 'utf8');
    for (const line of text.split('\n')) if (pattern.test(line)) found += 1;
  }
  if (found === 0) throw new Error('the floor of grep found nothing');
}

async function runPlainly([name = '', ...args]: readonly string[], cwd: string): Promise<void> {
  const child = spawn(name, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}
