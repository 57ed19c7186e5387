// Owns the reading of tests' names: which tags `[spec …]` they carry, and where. Runs no test and knows no row.
import { glob, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ParseResult, parseSync, types } from '@babel/core';

/** A tag in the name of a test or of a group of tests; `title` is the name without its tags. */
export interface Tag {
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly line: number;
}

/** A tag may hold brackets itself: `[spec 6.2 [engine]]`. */
const tagPattern = /\[spec ((?:[^[\]]|\[[^\]]*\])+)\]/g;
const testFunctions = new Set(['test', 'it', 'describe']);

/** All tags below a folder, by file and line; a tag that stands anywhere but in a name is a problem. */
export async function findTags(folder: string): Promise<{ readonly tags: readonly Tag[]; readonly problems: readonly string[] }> {
  const tags: Tag[] = [];
  const problems: string[] = [];
  const files: string[] = [];
  for await (const file of glob(`${folder}/**/*.ts`, { exclude: (name) => name.endsWith('fixtures') })) files.push(file);
  for (const file of files.sort()) {
    const source = await readFile(file, 'utf8');
    const written = idsOf(source);
    if (written.length === 0) continue;
    const found = tagsOf(file, source);
    tags.push(...found);
    const lost = written.filter((id) => !found.some((tag) => tag.id === id));
    problems.push(...lost.map((id) => `${file}: [spec ${id}] stands outside of the name of a test that runs`));
  }
  return { tags, problems };
}

function idsOf(text: string): readonly string[] {
  return [...text.matchAll(tagPattern)].map(([, id = '']) => id);
}

function tagsOf(file: string, source: string): readonly Tag[] {
  const tags: Tag[] = [];
  types.traverseFast(parseTest(file, source), (node) => {
    if (node.type !== 'CallExpression') return;
    for (const { text, line } of namesOf(node)) {
      const title = titleOf(text) || `all of ${basename(file, '.test.ts')}`;
      tags.push(...idsOf(text).map((id) => ({ id, title, file, line })));
    }
  });
  return tags.sort((a, b) => a.line - b.line);
}

/** The name without its tags, and without the places that a table fills in. */
function titleOf(text: string): string {
  return text
    .replaceAll(tagPattern, '')
    .replaceAll(/,? ?%[sdio]\b/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function parseTest(file: string, source: string): ParseResult {
  const plugins = ['typescript' as const, 'explicitResourceManagement' as const];
  const parsed = parseSync(source, { filename: file, configFile: false, babelrc: false, parserOpts: { plugins } });
  if (parsed === null) throw new Error(`${file} cannot be parsed`);
  return parsed;
}

interface Name {
  readonly text: string;
  readonly line: number;
}

/** The names that a call gives to tests: `test('…')`, and of `test.each(table)('…')` the texts of the table, too. */
function namesOf({ callee, arguments: [title] }: types.CallExpression): readonly Name[] {
  const own = title === undefined ? undefined : textOf(title);
  const line = title?.loc?.start.line ?? 0;
  const names = own === undefined ? [] : [{ text: own, line }];
  if (callee.type === 'Identifier') return testFunctions.has(callee.name) ? names : [];
  if (callee.type !== 'CallExpression' || !isEach(callee.callee)) return [];
  const ofTable: Name[] = [];
  for (const argument of callee.arguments) {
    types.traverseFast(argument, (node) => {
      if (node.type === 'StringLiteral') ofTable.push({ text: node.value, line: node.loc?.start.line ?? 0 });
    });
  }
  return [...names, ...ofTable];
}

function isEach(callee: types.CallExpression['callee']): boolean {
  if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return false;
  return testFunctions.has(callee.object.name) && callee.property.type === 'Identifier' && callee.property.name === 'each';
}

/** A text as far as it is written there; undefined for what is none. */
function textOf(node: types.Node): string | undefined {
  if (node.type === 'StringLiteral') return node.value;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? value.raw).join('…');
  return undefined;
}
