// What .gitattributes says about a path, and the conversion to the repository's form that git would make; runs no filter (E3).
import picomatch from 'picomatch';
import { foldersAbove } from './ignore-rules.ts';

/** true: set, false: unset by `-name`, text: `name=text`; not there: unspecified. */
export type Attributes = ReadonlyMap<string, string | boolean>;

export interface AttributeRules {
  attributesOf(path: string): Attributes;
}

/** null: unspecified again. */
type Assignment = readonly [name: string, value: string | boolean | null];

interface Rule {
  readonly matches: (path: string) => boolean;
  readonly assignments: readonly Assignment[];
}

/** Rules from the texts of .gitattributes files by their folder (`''` is the root); later lines and deeper files decide. */
export function createAttributeRules(texts: ReadonlyMap<string, string>): AttributeRules {
  const byFolder = new Map([...texts].map(([folder, text]) => [folder, parseRules(text)] as const));

  function attributesOf(path: string): Attributes {
    const found = new Map<string, string | boolean>();
    for (const [folder, rest] of foldersAbove(path)) {
      for (const rule of byFolder.get(folder) ?? []) {
        if (rule.matches(rest)) assign(found, rule.assignments);
      }
    }
    return found;
  }

  return { attributesOf };
}

/** `!name` takes a higher file's word back. */
function assign(found: Map<string, string | boolean>, assignments: Rule['assignments']): void {
  for (const [name, value] of assignments) {
    if (value === null) found.delete(name);
    else found.set(name, value);
  }
}

/** Why the content cannot be committed as it lies on disk, or null. */
export function refuseByAttributes(attributes: Attributes): string | null {
  const filter = attributes.get('filter');
  if (filter === 'lfs') return 'the file is kept in Git LFS; harness9 does not upload LFS content';
  if (typeof filter === 'string') return `the file goes through the filter "${filter}" (.gitattributes), which is not run`;
  const encoding = attributes.get('working-tree-encoding');
  if (typeof encoding === 'string' && !/^utf-?8$/i.test(encoding))
    return `the file has the encoding ${encoding} (.gitattributes)`;
  return null;
}

/** The bytes as git would store them: CRLF to LF where `text`, `eol` or `text=auto` asks for it, `$Id$` folded. `stored`: what is there now. */
export function toRepositoryForm(bytes: Buffer, attributes: Attributes, stored: Buffer | undefined): Buffer {
  const folded = attributes.get('ident') === true ? foldIdent(bytes) : bytes;
  return wantsLf(folded, attributes, stored) ? withoutCarriageReturns(folded) : folded;
}

function wantsLf(bytes: Buffer, attributes: Attributes, stored: Buffer | undefined): boolean {
  const text = attributes.get('text');
  if (text === true || text === 'input') return true;
  if (text === false) return false;
  const isAuto = text === 'auto';
  if (!isAuto && !attributes.has('eol')) return false;
  if (!isAuto) return true;
  // As git: what is binary, or was stored with CRLF before, is not touched by `auto`.
  return !bytes.includes(0) && !(stored?.includes('\r\n') ?? false);
}

function withoutCarriageReturns(bytes: Buffer): Buffer {
  if (!bytes.includes('\r\n')) return bytes;
  return Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}

function foldIdent(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/\$Id: [^$\n]*\$/g, '$Id$'), 'latin1');
}

function parseRules(text: string): Rule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith('[attr]')) return [];
    const { pattern, rest } = splitPattern(trimmed);
    // As in git: a folder's pattern matches no path, and there is no negation.
    if (pattern.endsWith('/') || pattern.startsWith('!')) return [];
    return [{ matches: matcherOf(pattern), assignments: parseAssignments(rest) }];
  });
}

function splitPattern(line: string): { pattern: string; rest: string } {
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*(.*)$/.exec(line);
  if (quoted !== null) return { pattern: (quoted[1] ?? '').replace(/\\(.)/g, '$1'), rest: quoted[2] ?? '' };
  const blank = line.search(/\s/);
  return blank < 0 ? { pattern: line, rest: '' } : { pattern: line.slice(0, blank), rest: line.slice(blank + 1) };
}

function matcherOf(pattern: string): (path: string) => boolean {
  const options = { dot: true, nobrace: true, noextglob: true, nonegate: true, strictSlashes: true };
  if (!pattern.includes('/')) {
    const byName = picomatch(pattern, options);
    return (path) => byName(path.slice(path.lastIndexOf('/') + 1));
  }
  return picomatch(pattern.replace(/^\//, ''), options);
}

function parseAssignments(rest: string): Assignment[] {
  return rest.split(/\s+/).flatMap((word): Assignment[] => {
    if (word === '') return [];
    if (word === 'binary') {
      return [
        ['diff', false],
        ['merge', false],
        ['text', false],
      ];
    }
    if (word.startsWith('-')) return [[word.slice(1), false]];
    if (word.startsWith('!')) return [[word.slice(1), null]];
    const equals = word.indexOf('=');
    return equals < 0 ? [[word, true]] : [[word.slice(0, equals), word.slice(equals + 1)]];
  });
}
