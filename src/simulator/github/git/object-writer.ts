/** Writes git objects. git checks the form of all but files, which have none: those are written here, because many are. */
import { createHash } from 'node:crypto';
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { GitShell } from './git-shell.ts';
import type { GitObject } from './object-reader.ts';

/** Gives the sha of the object; throws a `GitFailure` when git finds it malformed. */
export async function writeObject(git: GitShell, type: GitObject['type'], content: string | Uint8Array): Promise<string> {
  if (type === 'blob') return writeBlob(git.directory, content);
  const args = ['hash-object', '-w', '--no-filters', '-t', type, '--stdin'];
  return (await git.run({ args, input: content })).toString().trim();
}

/** A loose object (gitformat-loose): `blob <bytes>`, NUL and the content, deflated, under its SHA-1. */
async function writeBlob(directory: string, content: string | Uint8Array): Promise<string> {
  const bytes = Buffer.from(content);
  const object = Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]);
  const sha = createHash('sha1').update(object).digest('hex');
  const file = join(directory, 'objects', sha.slice(0, 2), sha.slice(2));
  if ((await stat(file).catch(() => undefined)) !== undefined) return sha;
  await mkdir(dirname(file), { recursive: true });
  // Whoever reads meanwhile sees all of it or nothing.
  const incoming = `${file}-${crypto.randomUUID()}`;
  await writeFile(incoming, await promisify(deflate)(object), { mode: 0o444 });
  await rename(incoming, file);
  return sha;
}
