// Configuration that is believed: an input's own text, or a file of the base commit (in the terminal: of the disk). Knows no format but YAML.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { Harness9Error, messageOf } from '../schema/error.ts';

/** Where a file of configuration is read, and how a setting is called there. */
export interface ConfigSource {
  /** Whether a value is the path of a file, and no configuration itself. */
  isPath(value: string): boolean;
  /** null: there is no such text file. */
  read(path: string): Promise<string | null>;
  /** What holds the file. */
  readonly place: string;
  nameOf(setting: string): string;
}

/** The Action's: inputs, and files of the base commit. What a pull request brings along is never read (I3). */
export function baseSource(files: Pick<ConfigSource, 'read'>): ConfigSource {
  return {
    isPath: (value) => value.startsWith('./'),
    read: async (file) => {
      const normal = path.posix.normalize(file);
      return normal.startsWith('../') ? null : await files.read(normal);
    },
    place: 'the base commit',
    nameOf: (setting) => `input \`${setting}\``,
  };
}

/** The terminal's: flags, and the files that they name. Nothing is read because it lies in the folder. */
export function flagSource(workDir: string): ConfigSource {
  return {
    isPath: (value) => /^\.{0,2}\//.test(value),
    read: (file) => readFile(path.resolve(workDir, file), 'utf8').catch(() => null),
    place: 'this folder',
    nameOf: (setting) => `--${setting.replaceAll('_', '-')}`,
  };
}

/** The text that `value` is or names; null when nothing is given. Throws CONFIG_UNREADABLE: rules that cannot be read are not done without. */
export async function loadConfigText(setting: string, value: string | null, source: ConfigSource): Promise<string | null> {
  if (value === null) return null;
  if (!source.isPath(value)) {
    if (looksLikePath.test(value.trim())) throw notAPath(setting, value.trim(), source);
    return value;
  }
  const text = await source.read(value);
  if (text !== null) return text;
  throw new Harness9Error({
    code: 'CONFIG_UNREADABLE',
    message: `${source.nameOf(setting)}: "${value}" is read as a file, and ${source.place} has no such text file`,
    hint: 'Give the path of a file that is there, or the text itself.',
  });
}

/** No configuration is one word like that. */
const looksLikePath = /^(?:[^\s{}[\]"'(),:]+\.(?:txt|ya?ml|json|md)|~?\.{0,2}\/\S*)$/i;

function notAPath(setting: string, value: string, source: ConfigSource): Harness9Error {
  return new Harness9Error({
    code: 'CONFIG_UNREADABLE',
    message: `${source.nameOf(setting)}: ${JSON.stringify(value)} is taken as the text itself, and looks like the path of a file`,
    hint: `A path begins with ./ and is relative to ${source.place}, as in ./${value.replace(/^[~./]+/, '')}.`,
  });
}

/** Aliases may grow a text without end; nobody writes more of them by hand. */
const maxAliasCount = 50;

/** What a YAML or JSON text says. Throws CONFIG_MALFORMED with the place of the fault. */
export function parseConfig(setting: string, text: string, source: Pick<ConfigSource, 'nameOf'>): unknown {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter, logLevel: 'silent', uniqueKeys: true });
  const placeOf = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return ` (line ${line}, column ${col})`;
  };
  const [fault] = document.errors;
  if (fault !== undefined) throw malformed(setting, `${wordsOf(fault)}${placeOf(fault.pos[0])}`, source);
  const comment = findComment(document);
  if (comment !== undefined) throw malformed(setting, `a comment in it begins with #, not with //${placeOf(comment)}`, source);
  try {
    return document.toJS({ maxAliasCount });
  } catch (error) {
    throw malformed(setting, wordsOf(error), source);
  }
}

/** Where somebody wrote a comment of JavaScript, which YAML takes for the name of a field. */
function findComment(document: Document.Parsed): number | undefined {
  let found: number | undefined;
  visit(document, {
    Pair: (_, { key }) => {
      if (!isScalar(key) || !/^\/[/*]/.test(String(key.value))) return undefined;
      found = key.range?.[0];
      return visit.BREAK;
    },
  });
  return found;
}

/** What is wrong, without what it quotes of the text: that may be a key. */
function wordsOf(fault: unknown): string {
  return messageOf(fault).split(/[:"]/, 1)[0] ?? '';
}

/** The parser's own error, which quotes the text, is not handed on. */
function malformed(setting: string, what: string, source: Pick<ConfigSource, 'nameOf'>): Harness9Error {
  return new Harness9Error({
    code: 'CONFIG_MALFORMED',
    message: `${source.nameOf(setting)}: expected YAML or JSON: ${what.trim()}`,
    hint: 'Correct the text; in YAML, quote values that hold ": " or "#".',
  });
}
