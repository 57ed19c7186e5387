import { execFileSync, spawnSync } from 'node:child_process';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createAttributeRules } from '../../src/github/change/attributes.ts';
import { createIgnoreRules, foldersAbove } from '../../src/schema/ignore-rules.ts';
import { createPlace, gitPath } from '../github/git-workspace.ts';

const place = createPlace();
afterAll(() => place.remove());

const patterns = [
  'a',
  'a/',
  '/a',
  '*',
  '*.c',
  '*.[oa]',
  '[!a]*',
  '[^a-c].c',
  '[]-]x',
  '[[:digit:]]*',
  '[a',
  'a\\',
  '\\#x',
  '\\!y',
  'foo\\ ',
  'trail   ',
  '?',
  '??.c',
  'a*b',
  'a**b',
  '**/a',
  '**/a/b',
  'a/**',
  'a/**/b',
  '/**/b',
  '**',
  '/**',
  '**/',
  'a/*',
  'a/*/b',
  '/a/b/',
  'a/b',
  '*/b',
  'a/***/b',
  '*a*b*',
  '#comment',
  '',
  '*\n!a',
  'a/*\n!a/b',
  '*.c\n!keep.c\n',
  '\ufeffa\r\nb\r\n',
  'é*',
  '\\*',
  'x[a/b]y',
];
const paths = [
  'a',
  'b',
  'a/b',
  'a/b/c',
  'a/x/b',
  'a/x/y/b',
  'x/a',
  'x/a/b',
  'x/y/a',
  'a.c',
  'b.c',
  'd.c',
  'keep.c',
  'x.o',
  'x/x.a',
  'ab',
  'axb',
  'axyb.c',
  '#x',
  '!y',
  'foo ',
  'foo',
  'trail',
  '1st',
  ']x',
  '-x',
  'élan',
  '*',
  'x/ay',
];

/** git knows that what lies in an ignored folder is ignored; our rules are asked folder by folder. */
function ignoredByUs(text: string): string[] {
  const rules = createIgnoreRules(new Map([['', text]]));
  const askedFor = (path: string) => [...foldersAbove(path).map(([folder]) => `${folder}/`), path].slice(1);
  return paths.filter((path) => askedFor(path).some((asked) => rules.isIgnored(asked)));
}

function ignoredByGit(text: string): string[] {
  place.write('.gitignore', text);
  // It ends with 1 when nothing is ignored.
  const said = spawnSync(gitPath, ['check-ignore', '--no-index', '-z', '--stdin'], {
    cwd: place.workDir,
    input: paths.join('\0'),
    env: { GIT_CONFIG_GLOBAL: '/dev/null' },
  });
  const ignored = new Set(said.stdout.toString('utf8').split('\0'));
  return paths.filter((path) => ignored.has(path));
}

describe('the patterns of .gitignore and .gitattributes', () => {
  test('ignore rules say of every path what git says', () => {
    expect(patterns.map((text) => [text, ignoredByUs(text)])).toEqual(patterns.map((text) => [text, ignoredByGit(text)]));
  });

  test('attributes are those that git tells, macros and what the clone adds too', () => {
    const root = [
      '[attr]lfs filter=lfs diff=lfs -text',
      '[attr]outer lfs eol=lf',
      '[attr]loop loop text',
      '*.lfs lfs',
      'small.lfs -lfs',
      '*.out outer',
      '*.bin binary',
      '*.txt text=auto eol=crlf',
      'no.txt !eol -text',
      '"a b.txt" ident',
      'dir/ text',
      '/top.c text',
      '**/deep/*.c text',
      'loop.c loop',
      '!neg text',
    ].join('\r\n');
    const texts = new Map([
      ['', root],
      ['sub', '*.lfs filter=other\n[attr]inner text\nx.c inner\n'],
    ]);
    const info = '*.info eol=crlf\n[attr]lfs filter=info\n';
    for (const [folder, text] of texts) place.write(folder === '' ? '.gitattributes' : `${folder}/.gitattributes`, text);
    place.write('.git/info/attributes', info);
    const asked = [
      ...['x.lfs', 'small.lfs', 'sub/x.lfs', 'sub/x.c', 'a.out', 'p.bin', 'a.txt', 'no.txt', 'a b.txt', 'dir/a', 'top.c'],
      ...['sub/top.c', 'deep/x.c', 'x/deep/x.c', 'loop.c', 'n.info', '!neg'],
    ];
    const names = ['filter', 'diff', 'text', 'eol', 'ident', 'merge', 'lfs', 'binary', 'loop'];
    const said = execFileSync(gitPath, ['check-attr', '-z', '--stdin', ...names], {
      cwd: place.workDir,
      input: asked.join('\0'),
      env: { GIT_CONFIG_GLOBAL: '/dev/null' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const fields = said.toString('utf8').split('\0').slice(0, -1);
    const byGit = fields.filter((_, index) => index % 3 === 2);
    const rules = createAttributeRules(texts, { info, isAutoCrlf: false });
    const ours = asked.flatMap((path) => {
      const attributes = rules.attributesOf(path);
      return names.map((name) => {
        const value = attributes.get(name);
        return value === undefined ? 'unspecified' : value === true ? 'set' : value === false ? 'unset' : value;
      });
    });
    const told = (values: readonly string[]) =>
      asked.map((path, at) => [path, ...values.slice(at * names.length).slice(0, names.length)]);
    expect(told(ours)).toEqual(told(byGit));
  });

  test('of a file of attributes ten thousand rules are read', () => {
    const rules = createAttributeRules(new Map([['', `${'* first\n'.repeat(10_000)}* last\n`]]));
    expect(rules.attributesOf('a')).toEqual(new Map([['first', true]]));
  });

  test.each([
    ['many stars', `${'*a'.repeat(40)}b`, 'a'.repeat(4000)],
    ['many questions', `${'*?'.repeat(40)}b`, 'a'.repeat(4000)],
    ['many classes', `${'*[!b]'.repeat(40)}b`, 'a'.repeat(4000)],
    ['many folders', `/${'**/a/'.repeat(40)}b`, `${'a/'.repeat(1900)}c`],
    ['both', `/${'**/*a*a*a*a/'.repeat(20)}b`, `${'aaaaaa/'.repeat(500)}c`],
  ])('a hostile pattern of %s ends after few steps', (_name, pattern, path) => {
    expect(createIgnoreRules(new Map([['', pattern]])).isIgnored(path)).toBe(false);
    expect(createAttributeRules(new Map([['', `${pattern} text`]])).attributesOf(path)).toEqual(new Map());
  });
});
