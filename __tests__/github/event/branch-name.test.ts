import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { isLegalBranchName, renderBranchName } from '../../../src/github/event/branch-name.ts';

const template = 'harness9/{{kind}}-{{number}}-{{slug}}';
const render = (title: string, key = 'issue_comment-1', used = template) =>
  renderBranchName(used, { kind: 'issue', number: '12', title, key });

function gitAccepts(name: string): boolean {
  try {
    execFileSync('git', ['check-ref-format', '--branch', name], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

describe('renderBranchName', () => {
  test.each([
    ['Fix: can\'t parse "a..b" — 50% of ~cases? [WIP] *', 'fix-cant-parse-a-b-50-of-cases-wip'],
    ['🎉🎉', ''],
    ['日本語のタイトル', ''],
    ['   ', ''],
    ['x.lock', 'x-lock'],
    ['-rf', 'rf'],
    ['a'.repeat(300), 'a'.repeat(40)],
    ['feature/@{1}', 'feature-1'],
    ['two\r\nlines', 'two-lines'],
    ['Café crème', 'cafe-creme'],
    ['$(id) `id` --upload-pack=x', 'id-id-upload-pack-x'],
  ])('G1-11 E9 makes of the title %j a ref that git accepts', (title, slug) => {
    const name = render(title);
    const stem = slug === '' ? 'harness9/issue-12' : `harness9/issue-12-${slug}`;
    expect(name).toMatch(new RegExp(`^${stem}-[0-9a-f]{8}$`));
    expect(gitAccepts(name)).toBe(true);
  });

  test.each([
    '',
    '/',
    '..',
    '-x',
    'main',
    'a//b.lock/{{slug}}',
    '{{nothing}}',
    '/{{kind}}/.hidden',
    '@{-1}',
    `${'x/'.repeat(200)}`,
    'é~^:?*[\\',
  ])('G1-11 E9 makes of the template %j a ref that git accepts', (used) => {
    const name = render('T', 'k', used);
    expect(gitAccepts(name)).toBe(true);
    expect(name.length).toBeLessThan(140);
  });

  test('the same trigger names the same branch, another one another', () => {
    expect(render('T', 'issue_comment-1')).toBe(render('T', 'issue_comment-1'));
    expect(render('T', 'issue_comment-1')).not.toBe(render('T', 'issue_comment-2'));
  });
});

test.each([
  ...['#8982-bugfix', 'feature/#12345-x', 'deps/@scope+pkg', 'fix/été', 'polecat/a/1@1700000000', 'main', 'a.b', 'x.locked'],
  ...[
    '--upload-pack=x',
    '-x',
    'a..b',
    'a b',
    'x.lock',
    'a/.b',
    'a@{1}',
    '@',
    '',
    'a//b',
    '/a',
    'a/',
    'a.',
    'a~1',
    'a\\b',
    'a\u0007',
  ],
])('G1-12 isLegalBranchName agrees with git about %j', (name) => {
  expect(isLegalBranchName(name)).toBe(gitAccepts(name));
});
