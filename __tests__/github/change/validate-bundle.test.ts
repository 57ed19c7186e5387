import { describe, expect, test } from '@jest/globals';
import { validateBundle } from '../../../src/github/change/validate-bundle.ts';
import type { Bundle, Change } from '../../../src/schema/bundle.ts';
import { bundleOf, headSha, plan, writeOf } from '../plan-and-bundle.ts';

const secret = 'hunter2-hunter2';
const scan = (text: string) => ({ exact: text.includes(secret), pattern: text.includes('AKIA') ? 'AWS key' : null });
const validate = (bundle: unknown, of = plan) => validateBundle(of, bundle, scan);

/** The refusal's code, or the bundle that is published. */
function codeOf(bundle: unknown): string {
  const validated = validate(bundle);
  return validated.kind === 'refusal' ? validated.code : 'published';
}

function published(bundle: Bundle): Bundle {
  const validated = validate(bundle);
  if (validated.kind === 'refusal') throw new Error(validated.message);
  return validated.bundle;
}

const withChanges = (...changes: Change[]) => bundleOf(plan, { changes });

const deletionOf = (path: string): Change => ({ kind: 'delete', path, patch: '' });

describe('validateBundle', () => {
  test('a bundle that fits its plan is published as it is', () => {
    const bundle = bundleOf(plan);
    expect(validate(bundle)).toEqual({ kind: 'bundle', bundle });
  });

  test.each([
    ['another plan', bundleOf({ ...plan, delivery: 'push_to_head' }), 'plan_mismatch'],
    ['another commit', bundleOf(plan, { baseSha: headSha }), 'plan_mismatch'],
    ['a second parent that is not the base', bundleOf(plan, { mergeParent: headSha }), 'merge_parent'],
    ['another version', { ...bundleOf(plan), version: 2 }, 'schema'],
    ['no object', 'bundle', 'schema'],
    ['a gitlink', { ...bundleOf(plan), changes: [{ ...writeOf('a', 'b'), mode: '160000' }] }, 'schema'],
    ['a setuid mode', { ...bundleOf(plan), changes: [{ ...writeOf('a', 'b'), mode: '104755' }] }, 'schema'],
    ['content that is not base64', withChanges(writeOf('a', '', { content: { encoding: 'base64', data: '!!' } })), 'schema'],
    ['half a surrogate pair', withChanges(writeOf('a', '\ud800')), 'schema'],
    ['a path twice', withChanges(writeOf('a', 'b'), writeOf('a', 'c')), 'path'],
    ['a deletion below a deletion', withChanges(deletionOf('a'), deletionOf('a/b')), 'path'],
    ['a file below a file', withChanges(writeOf('a', 'b'), writeOf('a/b', 'c')), 'path'],
    [
      'a link in base64',
      withChanges(writeOf('l', '', { mode: '120000', content: { encoding: 'base64', data: 'YQ==' } })),
      'mode',
    ],
    ['a secret in a file (E14)', withChanges(writeOf('.env', `KEY=${secret}\n`)), 'secret'],
    [
      'a secret in a binary',
      withChanges(writeOf('a', '', { content: { encoding: 'base64', data: btoa(`\0${secret}`) } })),
      'secret',
    ],
    ['a secret in a name', withChanges(writeOf(`a/${secret}`, 'x')), 'secret'],
    ['a secret that the patch hides', withChanges({ ...writeOf('a', secret), patch: '' }), 'secret'],
  ])('%s is refused', (_name, bundle, code) => {
    expect(codeOf(bundle)).toBe(code);
  });

  test.each([
    '',
    '/etc/passwd',
    '../up',
    'a/../../up',
    'a//b',
    './a',
    'a/',
    '.git/config',
    'sub/.GIT/hooks/x',
    '.git\u200c/config',
    '.git./config',
    '.git /config',
    'git~1/config',
    '.git::$INDEX_ALLOCATION/x',
    '.ｇｉｔ/config',
    'a\\..\\b',
    'C:/x',
    'a\nb',
    'a\u0000',
    'a\u202eb',
    'x'.repeat(5000),
  ])('the path %j is refused (E8, F5)', (path) => {
    expect(codeOf(withChanges(writeOf(path, 'x')))).toBe('path');
    expect(codeOf(withChanges({ kind: 'delete', path, patch: '' }))).toBe('path');
  });

  test.each(['.gitignore', '.github/x.yml', 'a/.gitkeep', 'git/config', 'ünïcode/日本.txt', '-rf', 'a b', 'ab:c', '..a/...b'])(
    'the path %j is published',
    (path) => {
      expect(codeOf(withChanges(writeOf(path, 'x')))).toBe('published');
    },
  );

  test.each([
    ['docs/x', '/etc/passwd'],
    ['docs/x', '../../.git/config'],
    ['docs/x', '../.git/config'],
    ['x', '..'],
    ['x', 'a/../../b'],
    ['x', ''],
    ['x', 'a\nb'],
  ])('a link %s to %j is refused (E8)', (path, target) => {
    expect(codeOf(withChanges(writeOf(path, target, { mode: '120000' })))).toBe('symlink');
  });

  test('a link inside the tree is published', () => {
    expect(codeOf(withChanges(writeOf('docs/x', '../README.md', { mode: '120000' })))).toBe('published');
  });

  test('too many files, bytes and deletions are refused with the numbers (E13)', () => {
    const many = Array.from({ length: 101 }, (_, index) => writeOf(`f${index}`, 'x'));
    expect(validate(bundleOf(plan, { changes: many }))).toEqual({
      kind: 'refusal',
      code: 'size',
      message: '101 files are written; the limit (max_patch_files) is 100',
    });
    const leftOut = [{ path: '…', reason: '55 more files look changed or new and were not read', patch: '' }];
    expect(validate(bundleOf(plan, { changes: many, leftOut }))).toMatchObject({
      message: '101 files are written; the limit (max_patch_files) is 100; 55 more files look changed or new and were not read',
    });
    const deletions = Array.from({ length: 301 }, (_, index): Change => ({ kind: 'delete', path: `f${index}`, patch: '' }));
    expect(validate(bundleOf(plan, { changes: deletions }))).toMatchObject({ code: 'size', message: /301 files are deleted/ });
    expect(validate(withChanges(writeOf('a', 'x'.repeat(5 * 1024 * 1024))))).toMatchObject({
      code: 'size',
      message: /5120 KB.* 4096/,
    });
  });

  test('protected paths are left out and listed, the rest is published (E6)', () => {
    const kept = writeOf('src/a.ts', 'a');
    const workflow = writeOf('.github/workflows/ci.yml', 'on: push\n');
    const owners = writeOf('docs/codeowners', '* @evil\n');
    const action = writeOf('.GitHub/Actions/x/action.yml', 'x');
    const bundle = published(withChanges(kept, workflow, owners, action));
    expect(bundle.changes).toEqual([kept]);
    expect(bundle.leftOut).toEqual(
      [workflow, owners, action].map(({ path, patch }) => ({
        path,
        patch,
        reason: 'the path is protected: a person has to make this change',
      })),
    );
  });

  test.each(['.github/workflows', '.GITHUB/actions', '.github', '.harness9', 'db', 'deploy', 'deploy/prod'])(
    'a link in the place of a protected folder is protected: %s (E6)',
    (path) => {
      const of = { ...plan, protectedPaths: ['/db/**', 'deploy/prod/*.sh'] };
      const link = writeOf(path, 'elsewhere', { mode: '120000' });
      const validated = validate(bundleOf(of, { changes: [link] }), of);
      expect(validated).toMatchObject({ kind: 'bundle', bundle: { changes: [], leftOut: [{ path }] } });
    },
  );

  test('what only stands beside protected paths is published', () => {
    const of = { ...plan, protectedPaths: ['/db/**', 'deploy/*/secret.sh'] };
    const changes = ['.github/FUNDING.yml', 'src/db', 'deploy/README.md', 'harness9'].map((path) => writeOf(path, 'x'));
    expect(validate(bundleOf(of, { changes }), of)).toMatchObject({ kind: 'bundle', bundle: { changes, leftOut: [] } });
  });

  test('a file in the place of a folder that held a protected one is protected as well (E6)', () => {
    const folder = writeOf('docs', 'no folder');
    const bundle = published(withChanges(folder, deletionOf('docs/CODEOWNERS'), deletionOf('docs/x.md')));
    expect(bundle.changes).toEqual([deletionOf('docs/x.md')]);
    expect(bundle.leftOut.map(({ path }) => path)).toEqual(['docs', 'docs/CODEOWNERS']);
  });

  test('deletions below a path that is written go with the folder; a file may become a folder', () => {
    const folder = writeOf('src', 'no folder');
    const index = writeOf('total.js/index.js', 'x');
    const bundle = published(withChanges(folder, deletionOf('src/a'), deletionOf('total.js'), index));
    expect(bundle.changes).toEqual([folder, deletionOf('total.js'), index]);
  });

  test('a plan adds protected paths, and takes one back with `!`', () => {
    const of = { ...plan, protectedPaths: ['/db/', '!CODEOWNERS'] };
    const changes = ['db/schema.sql', 'src/db/x.ts', 'CODEOWNERS', '.github/workflows/a.yml'].map((path) => writeOf(path, 'x'));
    expect(validate(bundleOf(of, { changes }), of)).toMatchObject({
      bundle: {
        changes: [{ path: 'src/db/x.ts' }, { path: 'CODEOWNERS' }],
        leftOut: [{ path: 'db/schema.sql' }, { path: '.github/workflows/a.yml' }],
      },
    });
  });

  test('a new file whose name looks like a secret is flagged and keeps its name; a known one and a deletion are not (E14)', () => {
    const changes = [
      writeOf('docs/AKIA.md', 'x\n'),
      writeOf('old/AKIA.md', 'x\n', { isNew: false }),
      { kind: 'delete' as const, path: 'gone/AKIA.md', patch: '' },
    ];
    const validated = validate(bundleOf(plan, { changes }));
    expect(validated.kind === 'bundle' && [validated.bundle.notices, validated.bundle.changes.map(({ path }) => path)]).toEqual([
      ['The name of a new file looks like a secret (AWS key): `docs/AKIA.md`. Check it before you merge.'],
      ['docs/AKIA.md', 'old/AKIA.md', 'gone/AKIA.md'],
    ]);
  });

  test('a pattern of a secret and bidi characters are flagged and do not block (B3, E14)', () => {
    const bundle = published(withChanges(writeOf('a.ts', 'AKIA…\n'), writeOf('b.ts', 'x\u202ey\n'), writeOf('c.ts', 'ok\n')));
    expect(bundle.notices).toEqual([
      '`a.ts` adds something that looks like a secret (AWS key): check it before you merge.',
      '`b.ts` adds characters that turn the direction of text (Trojan Source): check it before you merge.',
    ]);
  });

  test('what was there before is not flagged, only added lines are', () => {
    const patch = '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n AKIA\n-x\n+y\n';
    expect(published(withChanges(writeOf('a.ts', 'AKIA\ny\n', { isNew: false, patch }))).notices).toEqual([]);
  });

  test('files that run or steer what runs are pointed out (E7)', () => {
    expect(published(withChanges(writeOf('package.json', '{}'), writeOf('web/Dockerfile', 'FROM x'))).notices).toEqual([
      'Look twice at `package.json`, `web/Dockerfile`: what stands there runs, or steers what runs.',
    ]);
    const told = ['web/AGENTS.md', 'CLAUDE.md', 'skills/a/SKILL.md', '.claude/skills/b.md', '.agents/skills/c/x.sh'];
    const names = told.map((path) => `\`${path}\``).join(', ');
    expect(
      published(withChanges(...told.map((path) => writeOf(path, 'x\n')), writeOf('web/skills/x.ts', 'x\n'))).notices,
    ).toEqual([`Look twice at ${names}: what stands there runs, or steers what runs.`]);
  });

  test('it never throws, whatever comes (fuzz)', () => {
    const random = randomOf(42);
    const base = JSON.stringify(bundleOf(plan));
    for (let round = 0; round < 2000; round += 1) {
      const validated = validate(mutate(JSON.parse(base), random));
      expect(['bundle', 'refusal']).toContain(validated.kind);
    }
  });
});

/** A small generator with a seed, so that a failure can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

const oddities: readonly unknown[] = [
  null,
  1e308,
  -1,
  '',
  '\u0000',
  '\ud800',
  [],
  {},
  [[]],
  '../x',
  '.git',
  true,
  { kind: 'write' },
  '__proto__',
];

function mutate(value: unknown, random: () => number): unknown {
  if (random() < 0.03) return oddities[Math.floor(random() * oddities.length)];
  if (Array.isArray(value)) return value.map((item) => mutate(item, random));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [random() < 0.01 ? `${key}x` : key, mutate(member, random)]),
  );
}
