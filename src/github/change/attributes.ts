// What .gitattributes says about a path, and the conversion to the repository's form that git would make; runs no filter (E3).
import { foldersAbove } from '../../schema/ignore-rules.ts';
import { parsePathPattern } from '../../schema/path-pattern.ts';

/** true: set, false: unset by `-name`, text: `name=text`; not there: unspecified. */
export type Attributes = ReadonlyMap<string, string | boolean>;

export interface AttributeRules {
  attributesOf(path: string): Attributes;
}

/** What this clone says besides the commit, as it was before the agent. */
export interface CloneAttributes {
  /** The text of `.git/info/attributes`, which decides over every .gitattributes. */
  readonly info: string;
  /** `core.autocrlf` is `true` or `input`. */
  readonly isAutoCrlf: boolean;
}

/** null: unspecified again. */
type Assignment = readonly [name: string, value: string | boolean | null];

interface Rule {
  readonly matches: (path: string) => boolean;
  readonly assignments: readonly Assignment[];
}

/** Of one file; every rule is asked for every changed path, and a head may bring any number. */
const maxRules = 10_000;

type Macros = ReadonlyMap<string, readonly Assignment[]>;

const builtInMacros: Macros = new Map([
  [
    'binary',
    [
      ['diff', false],
      ['merge', false],
      ['text', false],
    ],
  ],
]);

/** Rules from the texts of .gitattributes files by their folder (`''` is the root); later lines and deeper files decide. */
export function createAttributeRules(
  texts: ReadonlyMap<string, string>,
  clone: CloneAttributes = { info: '', isAutoCrlf: false },
): AttributeRules {
  const byFolder = new Map([...texts].map(([folder, text]) => [folder, parseRules(text)] as const));
  const ofClone = parseRules(clone.info);
  // As in git: macros are defined at the root only.
  const macros = new Map([...builtInMacros, ...parseMacros(texts.get('') ?? ''), ...parseMacros(clone.info)]);

  function attributesOf(path: string): Attributes {
    const inFolders = foldersAbove(path).flatMap(([folder, rest]) =>
      (byFolder.get(folder) ?? []).filter((rule) => rule.matches(rest)),
    );
    const found = decideAll([...inFolders, ...ofClone.filter((rule) => rule.matches(path))], macros);
    if (clone.isAutoCrlf && !['text', 'crlf', 'eol'].some((name) => found.has(name))) found.set('text', 'auto');
    return found;
  }

  return { attributesOf };
}

/** From the last word back, as git does: what is said later stands, and a macro speaks only where it is set in the end. */
function decideAll(rules: readonly Rule[], macros: Macros): Map<string, string | boolean> {
  const decided = new Map<string, string | boolean | null>();
  const pending = rules.flatMap((rule) => rule.assignments);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [name, value] = next;
    if (decided.has(name)) continue;
    decided.set(name, value);
    if (value === true) for (const assignment of macros.get(name) ?? []) pending.push(assignment);
  }
  return new Map([...decided].flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])));
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
  const text = attributes.get('text') ?? attributes.get('crlf');
  if (text === true || text === 'input') return true;
  if (text === false) return false;
  if (text !== 'auto') return attributes.has('eol');
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
  return linesOf(text).flatMap((line) => {
    if (line.startsWith(macroMark)) return [];
    const { pattern, rest } = splitPattern(line);
    const { matches, isNegated, isFolderOnly } = parsePathPattern(pattern);
    // As in git: a folder's pattern matches no path, and there is no negation.
    return isNegated || isFolderOnly ? [] : [{ matches, assignments: parseAssignments(rest) }];
  });
}

const macroMark = '[attr]';

function parseMacros(text: string): (readonly [name: string, assignments: readonly Assignment[]])[] {
  return linesOf(text).flatMap((line) => {
    if (!line.startsWith(macroMark)) return [];
    const [name = '', ...words] = line.slice(macroMark.length).trim().split(/\s+/);
    return name === '' ? [] : [[name, parseAssignments(words.join(' '))] as const];
  });
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .slice(0, maxRules);
}

function splitPattern(line: string): { pattern: string; rest: string } {
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*(.*)$/.exec(line);
  if (quoted !== null) return { pattern: (quoted[1] ?? '').replace(/\\(.)/g, '$1'), rest: quoted[2] ?? '' };
  const blank = line.search(/\s/);
  return blank < 0 ? { pattern: line, rest: '' } : { pattern: line.slice(0, blank), rest: line.slice(blank + 1) };
}

function parseAssignments(rest: string): Assignment[] {
  return rest.split(/\s+/).flatMap((word): Assignment[] => {
    if (word === '') return [];
    if (word.startsWith('-')) return [[word.slice(1), false]];
    if (word.startsWith('!')) return [[word.slice(1), null]];
    const equals = word.indexOf('=');
    return equals < 0 ? [[word, true]] : [[word.slice(0, equals), word.slice(equals + 1)]];
  });
}
