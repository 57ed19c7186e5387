// Every text of a GraphQL operation in src is found here by itself and held against GitHub's published schema.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { operations } from '../../../../src/simulator/github/graphql/operations.ts';
import { problemsOfQuery } from '../../../contracts/graphql.ts';

const SOURCES = join(import.meta.dirname, '../../../../src');

interface Found {
  readonly file: string;
  /** The constant that holds it; null for a text that stands in the call. */
  readonly constant: string | null;
  readonly text: string;
}

function sourceFiles(): readonly { file: string; source: string }[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('simulator'))
    .map((file) => ({ file, source: readFileSync(join(SOURCES, file), 'utf8') }));
}

const TEXT = /(?:\bconst (\w+)(?:: string)? = )?(?:`\s*((?:query|mutation)\s[^`]*)`|'((?:query|mutation)\s[^'\n]*)')/g;

/** The operations that a source holds, with the texts of its own constants in their gaps. */
function findTexts(file: string, source: string): readonly Found[] {
  const parts = new Map(
    [...source.matchAll(/\bconst (\w+)(?:: string)? = [`']([^`'$]*)[`'];/g)].map(([, name, text]) => [name, text]),
  );
  const fill = (text: string): string => text.replace(/\$\{(\w+)\}/g, (gap, name: string) => parts.get(name) ?? gap);
  return [...source.matchAll(TEXT)].map(([, constant = null, long, short]) => ({
    file,
    constant,
    text: fill(long ?? short ?? ''),
  }));
}

/**
 * The calls of the port's `graphql` whose first argument is neither a text that was found nor a constant that holds one. What
 * stands around the port hands on the `query` that its own `graphql` was given.
 */
function callsWithoutText(file: string, source: string, texts: readonly Found[]): readonly string[] {
  const known = new Set<string | null>(texts.map(({ constant }) => constant));
  const isAround = /(?<![.\w])graphql(?:: \(|\()query\b/.test(source);
  return [...source.matchAll(/\bapi\.graphql(?:<[^>]*>)?\(\s*([^,)]*)/g)]
    .map(([, argument = '']) => argument.trim())
    .filter(
      (argument) => !(/^[`'](?:query|mutation)\s/.test(argument) || known.has(argument) || (isAround && argument === 'query')),
    )
    .map((argument) => `${file}: api.graphql(${argument}`);
}

const files = sourceFiles();
const found = files.flatMap(({ file, source }) => findTexts(file, source));

describe('the GraphQL of the product', () => {
  test('is found', () => {
    expect(found.map(({ text }) => nameOf(text))).toEqual(expect.arrayContaining(['Viewer', 'ThreadEdit']));
  });

  test('is what each call sends', () => {
    expect(files.flatMap(({ file, source }) => callsWithoutText(file, source, findTexts(file, source)))).toEqual([]);
  });

  test.each(found.map(({ file, text }) => [nameOf(text), file, text]))(
    '%s of %s is an operation that GitHub would take',
    (...row) => {
      expect(problemsOfQuery(row[2] ?? '')).toEqual([]);
    },
  );

  test('has no name that the simulated GitHub does not know', () => {
    expect(found.map(({ text }) => nameOf(text)).filter((name) => operations[name] === undefined)).toEqual([]);
  });
});

describe('the search of operations', () => {
  test('finds a text in a constant and in a call, and sees a call with neither', () => {
    const source =
      "const q = `\n  query A { viewer { login } }`;\napi.graphql('mutation B { x }', {});\napi.graphql(q, {});\napi.graphql(other, {});\napi.graphql('qeury C { x }')";
    const texts = findTexts('a.ts', source);
    expect(texts.map(({ constant, text }) => [constant, nameOf(text)])).toEqual([
      ['q', 'A'],
      [null, 'B'],
    ]);
    expect(callsWithoutText('a.ts', source, texts)).toEqual(['a.ts: api.graphql(other', "a.ts: api.graphql('qeury C { x }'"]);
  });

  test('fills the gaps of a text with its file’s own constants, and lets the port’s own decorators hand on', () => {
    const source =
      "const part = 'login';\nconst q = `query A { viewer { ${part} ${other} } }`;\ngraphql: (query) => api.graphql(query)";
    expect(findTexts('a.ts', source).map(({ text }) => text)).toEqual(['query A { viewer { login ${other} } }']);
    expect(callsWithoutText('a.ts', source, [])).toEqual([]);
    expect(callsWithoutText('a.ts', 'api.graphql(query)', [])).toEqual(['a.ts: api.graphql(query']);
  });

  test('a misspelled field, argument or word, and a text with a gap, are no operations', () => {
    for (const text of [
      'query A { viewer { logn } }',
      'query A { viewer(x: 1) { login } }',
      'qeury A { viewer { login } }',
      'query A { ${part} }',
      '',
    ]) {
      expect([text, problemsOfQuery(text).length > 0]).toEqual([text, true]);
    }
  });
});

function nameOf(text: string): string {
  return /^(?:query|mutation)\s+(\w+)/.exec(text)?.[1] ?? text;
}
