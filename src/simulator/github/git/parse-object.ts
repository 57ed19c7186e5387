/** Raw git objects → data. Pure. */

export interface Signature {
  readonly name: string;
  readonly email: string;
  /** ISO 8601, UTC, whole seconds. */
  readonly date: string;
}

export interface Commit {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
}

export interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly sha: string;
  /** Bytes; only where a listing asked for it. */
  readonly size?: number;
}

const SHA_BYTES = 20;

/** A date as GitHub writes it. */
export function isoSeconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** Reads a commit object. */
export function parseCommit(sha: string, content: Buffer): Commit {
  const text = content.toString();
  const headerEnd = text.indexOf('\n\n');
  const headers = text
    .slice(0, headerEnd)
    .split('\n')
    .filter((line) => !line.startsWith(' '))
    .map((line) => ({ key: line.slice(0, line.indexOf(' ')), value: line.slice(line.indexOf(' ') + 1) }));
  const first = (key: string): string => headers.find((header) => header.key === key)?.value ?? '';
  return {
    sha,
    tree: first('tree'),
    parents: headers.filter((header) => header.key === 'parent').map((header) => header.value),
    author: parseSignature(first('author')),
    committer: parseSignature(first('committer')),
    message: text.slice(headerEnd + 2),
  };
}

function parseSignature(text: string): Signature {
  const [, name = '', email = '', seconds = '0'] = /^(.*?) ?<(.*)> (\d+) [+-]\d{4}$/.exec(text) ?? [];
  return { name, email, date: isoSeconds(new Date(Number(seconds) * 1000)) };
}

/** Reads a tree object: the entries of one folder. */
export function parseTree(content: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < content.length) {
    const nameStart = content.indexOf(0x20, at) + 1;
    const nameEnd = content.indexOf(0, nameStart);
    const mode = content.toString('latin1', at, nameStart - 1).padStart(6, '0');
    at = nameEnd + 1 + SHA_BYTES;
    entries.push({
      path: content.toString('utf8', nameStart, nameEnd),
      mode,
      type: typeOfMode(mode),
      sha: content.toString('hex', nameEnd + 1, at),
    });
  }
  return entries;
}

function typeOfMode(mode: string): TreeEntry['type'] {
  if (mode === '040000') return 'tree';
  return mode === '160000' ? 'commit' : 'blob';
}
