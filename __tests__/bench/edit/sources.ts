// Files of npm packages that cases are made of. Reads folders; installs nothing.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Random } from './random.ts';
import type { Language, SourceFile } from './source-file.ts';
import { parseSource } from './source-file.ts';

const LANGUAGES: Readonly<Record<string, Language>> = {
  ...{ ts: 'ts', tsx: 'ts', js: 'js', mjs: 'js', cjs: 'js', py: 'py', go: 'go', md: 'md', yml: 'yaml', yaml: 'yaml' },
};
/** So that none of the languages outweighs the others. */
const MOST_FILES: Readonly<Partial<Record<Language, number>>> = { ts: 70, js: 60, py: 20, go: 20, md: 30, yaml: 12, make: 8 };
/** What is built, or belongs to somebody else. */
const SKIPPED = new Set(['node_modules', 'dist', 'umd', 'es', 'esm', 'bundles', 'legacy', '.git']);
const MIN_BYTES = 1_200;
const MAX_BYTES = 45_000;
const MIN_LINES = 30;
const MAX_LINE = 400;

/** A package below a node_modules. `half`: only every other of its files. */
export interface SourcePackage {
  readonly name: string;
  readonly half?: boolean;
}

/** Source files of packages that are installed below `nodeModules`, some of each language; a package that is missing has none. */
export function loadSources(nodeModules: string, packages: readonly SourcePackage[], random: Random): readonly SourceFile[] {
  const byLanguage = new Map<Language, SourceFile[]>();
  for (const source of packages) {
    for (const file of loadPackage(nodeModules, source)) {
      byLanguage.set(file.lang, [...(byLanguage.get(file.lang) ?? []), file]);
    }
  }
  return [...byLanguage]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([lang, files]) => random.shuffle(files).slice(0, MOST_FILES[lang]));
}

function* loadPackage(nodeModules: string, { name, half = false }: SourcePackage): Iterable<SourceFile> {
  const root = path.join(nodeModules, name);
  if (!existsSync(root)) return;
  for (const relative of walk(root, '')) {
    const lang = languageOf(path.basename(relative));
    if (lang === undefined || (half && !isOfTheHalf(relative))) continue;
    const file = loadFile(path.join(root, relative), `${name}/${relative}`, lang);
    if (file !== null) yield file;
  }
}

function* walk(root: string, folder: string): Iterable<string> {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) yield relative;
    else if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* walk(root, relative);
  }
}

function languageOf(name: string): Language | undefined {
  if (name.endsWith('.d.ts') || name.includes('.min.')) return undefined;
  return /^(GNU)?[Mm]akefile/.test(name) ? 'make' : LANGUAGES[name.split('.').at(-1) ?? ''];
}

const isOfTheHalf = (relative: string): boolean => createHash('sha1').update(relative).digest().readUInt8(0) % 2 === 0;

function loadFile(file: string, name: string, lang: Language): SourceFile | null {
  const { size } = statSync(file);
  if (size < MIN_BYTES || size > MAX_BYTES) return null;
  const text = readFileSync(file, 'utf8');
  if (text.includes('\uFFFD') || text.includes('\0')) return null;
  const source = parseSource(name, lang, text);
  return source.lines.length < MIN_LINES || source.lines.some((line) => line.length > MAX_LINE) ? null : source;
}
