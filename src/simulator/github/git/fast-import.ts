/** Makes a commit out of file contents by one `git fast-import`: for fixtures, where a process per object would be slow. */

import type { GitShell } from './git-shell.ts';
import type { Signature } from './parse-object.ts';

/** A file of a fixture: its text or bytes, or those with a mode (`100755`, `120000`). Null deletes the path. */
export type FileContent =
  | string
  | Uint8Array
  | { readonly content: string | Uint8Array; readonly mode: '100644' | '100755' | '120000' }
  | null;

export interface CommitFiles {
  readonly ref: string;
  readonly parent: string | null;
  readonly files: Readonly<Record<string, FileContent>>;
  readonly message: string;
  readonly author: Signature;
}

/** Writes the commit, moves the ref (also backwards) and gives the new sha. */
export async function importCommit(git: GitShell, commit: CommitFiles): Promise<string> {
  const seconds = Math.floor(Date.parse(commit.author.date) / 1000);
  const parts: Buffer[] = [
    Buffer.from(`commit ${commit.ref}\nmark :1\ncommitter ${commit.author.name} <${commit.author.email}> ${seconds} +0000\n`),
    data(commit.message),
    Buffer.from(commit.parent === null ? '' : `from ${commit.parent}\n`),
    ...Object.entries(commit.files).flatMap(([path, content]) => change(path, content)),
    Buffer.from('\nget-mark :1\ndone\n'),
  ];
  const args = ['-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet', '--force', '--done', '--date-format=raw'];
  return (await git.run({ args, input: Buffer.concat(parts) })).toString().trim();
}

function change(path: string, content: FileContent): readonly Buffer[] {
  const quoted = `"${path.replace(/["\\]/g, (character) => `\\${character}`).replaceAll('\n', '\\n')}"`;
  if (content === null) return [Buffer.from(`D ${quoted}\n`)];
  const isPlain = typeof content === 'string' || content instanceof Uint8Array;
  const mode = isPlain ? '100644' : content.mode;
  return [Buffer.from(`M ${mode} inline ${quoted}\n`), data(isPlain ? content : content.content)];
}

function data(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}
