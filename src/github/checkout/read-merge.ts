// What git answers about a merge, as data: the tree, what is in conflict, what differs between two trees. Pure.

/** A side's file of a path in conflict: 1 is the common ancestor's, 2 the head's, 3 the base's. */
interface Stage {
  readonly path: string;
  readonly sha: string;
  readonly number: number;
}

export interface MergeAnswer {
  readonly tree: string;
  readonly stages: readonly Stage[];
  /** git's words by the path that they are about: the kind of conflict, and the sentence. */
  readonly words: ReadonlyMap<string, readonly string[]>;
}

/** One path that differs between two trees. `sha` null: it is gone. */
export interface TreeDifference {
  readonly path: string;
  readonly isNew: boolean;
  readonly mode: string;
  readonly sha: string | null;
}

/** What `git merge-tree --write-tree -z` says. */
export function readMergeAnswer(output: Buffer): MergeAnswer {
  const [tree = '', ...fields] = output.toString('utf8').split('\0');
  const end = fields.indexOf('');
  const stages = (end < 0 ? fields : fields.slice(0, end)).map(readStage);
  return { tree, stages, words: end < 0 ? new Map() : readWords(fields.slice(end + 1)) };
}

/** `<mode> <blob> <stage>\t<path>` */
function readStage(field: string): Stage {
  const tab = field.indexOf('\t');
  const [, sha = '', number] = field.slice(0, tab).split(' ');
  return { path: field.slice(tab + 1), sha, number: Number(number) };
}

const conflict = /^CONFLICT \((.+?)\)/;

/** Each message: how many paths, the paths, its lasting name, its words. Only those about conflicts are kept, the vaguest last. */
function readWords(fields: readonly string[]): Map<string, string[]> {
  const words = new Map<string, string[]>();
  for (let at = 0; at < fields.length - 2; ) {
    const count = Number(fields[at]);
    const paths = fields.slice(at + 1, at + 1 + count);
    const [name = '', text = ''] = fields.slice(at + 1 + count, at + 3 + count);
    at += 3 + count;
    if (!conflict.test(name)) continue;
    const sentence = text
      .trim()
      .replace(conflict, '')
      .replace(/^: /, '')
      .replace(/^warning: /, '');
    for (const path of paths) {
      const others = words.get(path) ?? [];
      words.set(path, name === 'CONFLICT (contents)' ? [...others, sentence] : [sentence, ...others]);
    }
  }
  return words;
}

/** What `git diff-tree -r -z --raw --no-renames` says of two trees. Paths that are not UTF-8 hold U+FFFD. */
export function readDifferences(output: Buffer): TreeDifference[] {
  const fields = output.toString('utf8').split('\0');
  const found: TreeDifference[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , sha = '', status] = (fields[at] ?? '').split(' ');
    found.push({ path: fields[at + 1] ?? '', isNew: status === 'A', mode, sha: status === 'D' ? null : sha });
  }
  return found;
}

/** The contents on both sides of what `git diff-tree -r -z --raw --no-renames` says; submodules have none. */
export function readBlobNames(output: Buffer): readonly string[] {
  const lines = output
    .toString('utf8')
    .split('\0')
    .filter((_, index) => index % 2 === 0);
  return lines.flatMap((line) => {
    const [oldMode = '', newMode = '', oldSha = '', newSha = ''] = line.slice(1).split(' ');
    return [...nameOf(oldMode, oldSha), ...nameOf(newMode, newSha)];
  });
}

function nameOf(mode: string, sha: string): readonly string[] {
  return mode === '160000' || !/^(?!0+$)[0-9a-f]{40}$/.test(sha) ? [] : [sha];
}

const mark = /^(?:<{7,}|>{7,}|={7,}|\|{7,})(?: .*)?$/;

/** The lines of `text` that look like conflict marks and stand in none of the sides. */
export function marksIn(text: string, sides: readonly string[]): readonly string[] {
  const known = new Set(sides.flatMap(linesOf));
  return [...new Set(linesOf(text).filter((line) => mark.test(line) && !known.has(line)))];
}

/** Whether one of these marks is left in a text, whatever ends its lines. */
export function holdsMark(text: string, marks: readonly string[]): boolean {
  const there = new Set(linesOf(text));
  return marks.some((each) => there.has(each));
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}
