/** Writes git objects as files of the repository: no process, because publishing writes many. Whoever calls gives them git's form. */
import { createHash } from 'node:crypto';
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { GitObject } from './object-reader.ts';

/** Writes a loose object (gitformat-loose): type, bytes, NUL and the content, deflated, under its SHA-1, which is given back. */
export async function writeObject(directory: string, type: GitObject['type'], content: string | Uint8Array): Promise<string> {
  const bytes = Buffer.from(content);
  const object = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]);
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
