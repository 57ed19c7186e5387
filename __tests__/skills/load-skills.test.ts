import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { loadSkills } from '../../src/skills/load-skills.ts';
import { baseFilesOf } from '../github/base-files.ts';
import { commitAll, createPlace } from '../github/git-workspace.ts';
import { filesOf, skillText, type Texts } from './skill-files.ts';

async function load(texts: Texts) {
  const { skills, problems } = await loadSkills(filesOf(texts));
  return { skills: skills.map(({ digest: _digest, ...skill }) => skill), problems };
}

/** What a single file comes to: the skill's three texts, or the problem. */
async function loadOne(text: string, path = 'skills/own-name/SKILL.md') {
  const { skills, problems } = await load({ [path]: text });
  const [skill] = skills;
  return skill === undefined ? problems.join('\n') : [skill.name, skill.description, skill.trigger];
}

describe('where skills are looked for', () => {
  test('a file in a folder with its other files, and a flat file; everything else is none', async () => {
    const loaded = await load({
      'skills/review/SKILL.md': skillText('description: Use when reviewing'),
      'skills/review/scripts/lint.sh': 'true',
      'skills/review/reference.md': 'more',
      'skills/deploy.md': skillText('description: Use when deploying\ntrigger: deploy, release'),
      'skills/deep/er/SKILL.md': skillText('description: too deep'),
      'skills/notes.txt': 'no',
      'docs/skills/other.md': skillText('description: another folder'),
    });
    expect(loaded).toEqual({
      skills: [
        { name: 'deploy', description: 'Use when deploying', trigger: 'deploy, release', path: 'skills/deploy.md', files: [] },
        {
          name: 'review',
          description: 'Use when reviewing',
          trigger: '',
          path: 'skills/review/SKILL.md',
          files: ['skills/review/reference.md', 'skills/review/scripts/lint.sh'],
        },
      ],
      problems: [],
    });
  });

  test('an earlier folder wins over a later one, a folder over a flat file; what is shadowed is named', async () => {
    const paths = [
      '.agents/skills/a/SKILL.md',
      '.claude/skills/a.md',
      '.claude/skills/a/SKILL.md',
      '.harness9/skills/a.md',
      'skills/a.md',
    ];
    const text = skillText('description: d');
    const winners: unknown[] = [];
    for (let first = paths.length; first > 0; first -= 1) {
      const { skills, problems } = await load(Object.fromEntries(paths.slice(0, first).map((path) => [path, text])));
      winners.push(skills.map(({ path }) => path).join());
      expect(problems).toHaveLength(first - 1);
    }
    expect(winners).toEqual([
      'skills/a.md',
      '.harness9/skills/a.md',
      '.claude/skills/a/SKILL.md',
      '.claude/skills/a.md',
      '.agents/skills/a/SKILL.md',
    ]);
    const { problems } = await load({ 'skills/a.md': text, '.claude/skills/a.md': text });
    expect(problems).toEqual(['.claude/skills/a.md: the skill a is taken from skills/a.md; skipped']);
  });

  test('names are the same in any case', async () => {
    const { skills, problems } = await load({
      'skills/one.md': skillText('name: Code Review\ndescription: first'),
      'skills/two.md': skillText('name: CODE_review\ndescription: second'),
    });
    expect(skills.map(({ name, description }) => [name, description])).toEqual([['code-review', 'first']]);
    expect(problems).toEqual(['skills/two.md: the skill code-review is taken from skills/one.md; skipped']);
  });

  test('no skills at all are no problem', async () => {
    expect(await load({ 'README.md': 'x' })).toEqual({ skills: [], problems: [] });
  });
});

describe('front matter', () => {
  test.each<[what: string, text: string, expected: readonly string[]]>([
    ['the name of the folder where it says none', skillText('description: d'), ['own-name', 'd', '']],
    ['an empty name is none', skillText('name:\ndescription: d'), ['own-name', 'd', '']],
    ['a name that YAML takes for a number', skillText('name: 2024\ndescription: 1'), ['2024', '1', '']],
    ['triggers as a list', skillText('description: d\ntrigger: [deploy, "a: b"]'), ['own-name', 'd', 'deploy, a: b']],
    ['triggers as a block', skillText('description: d\ntrigger:\n  - deploy\n  - ship'), ['own-name', 'd', 'deploy, ship']],
    ['a description over lines', skillText('description: >\n  one\n  two\n\n  three'), ['own-name', 'one two three', '']],
    ['other keys, of any shape', skillText('allowed-tools: Read\nmetadata: {a: [1]}\ndescription: d'), ['own-name', 'd', '']],
    ['carriage returns', skillText('name: crlf\ndescription: d').replaceAll('\n', '\r\n'), ['crlf', 'd', '']],
    ['a byte order mark, blank lines before', `\uFEFF\n\n${skillText('description: d')}`, ['own-name', 'd', '']],
    ['blanks behind the dashes', '---  \ndescription: d\n---\t\nx', ['own-name', 'd', '']],
    ['an end without a newline', '---\ndescription: d\n---', ['own-name', 'd', '']],
    ['lines of dashes in the text', skillText('description: d', 'a\n\n---\n\nname: b\n---'), ['own-name', 'd', '']],
    ['dashes within a value', skillText('description: a --- b'), ['own-name', 'a --- b', '']],
    ['other languages', skillText('name: x\ndescription: 写测试时使用'), ['x', '写测试时使用', '']],
  ])('is read with %s', async (_what, text, expected) => {
    expect(await loadOne(text)).toEqual(expected);
  });

  test.each<[what: string, text: string, problem: RegExp]>([
    ['no front matter', '# Review\n\nDo it well.\n', /no front matter with a description/],
    ['nothing', '', /no front matter with a description/],
    ['no description', skillText('name: x'), /no front matter with a description/],
    ['an empty description', skillText('description: "  "'), /no front matter with a description/],
    ['no end', '---\ndescription: d\n', /has no end/],
    ['an end too far away', skillText(`description: d\nx: ${'y'.repeat(9_000)}`), /no line "---" within 8192 characters/],
    ['a key twice', skillText('description: d\ndescription: e'), /Map keys must be unique/],
    ['an unquoted colon', skillText('description: Use when: always'), /quote a value that holds ": "/],
    ['a tag of a language', skillText('description: !!js/function "() => 1"'), /Unresolved tag/],
    ['a tag of its own', skillText('description: !evil d'), /Unresolved tag/],
    ['an alias', skillText('a: &a [x]\nb: *a\ndescription: d'), /Alias/],
    ['a list', skillText('- description'), /expected object/],
    ['a text', skillText('description'), /expected object/],
    ['a description of the wrong shape', skillText('description: [a]'), /description/],
    ['triggers of the wrong shape', skillText('description: d\ntrigger: {a: b}'), /trigger/],
    ['an endless nesting', skillText(`a: ${'['.repeat(8_000)}`), /cannot be used/],
  ])('with %s is a problem of one line that names the file', async (_what, text, problem) => {
    const seen = await loadOne(text);
    expect(seen).toMatch(problem);
    expect(seen).toMatch(/^skills\/own-name\/SKILL\.md: .{1,300}; skipped$/);
  });

  test('a bomb of aliases is refused at once, not expanded', async () => {
    const levels = Array.from({ length: 30 }, (_, level) => `a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`).slice(1);
    expect(await loadOne(skillText(`a0: &a0 [x]\n${levels.join('\n')}\ndescription: *a29`))).toMatch(/Alias/);
  });

  test('keys that are names of Object change nothing', async () => {
    expect(await loadOne(skillText('__proto__: {name: evil}\nconstructor: x\ndescription: d'))).toEqual(['own-name', 'd', '']);
    expect({}).not.toHaveProperty('name');
  });
});

describe('hostile names', () => {
  test.each([
    '../../etc',
    '/etc/passwd',
    'a/b',
    '"a\\n- evil: x"',
    'a.b',
    `"${'x'.repeat(65)}"`,
    'ünïcode',
    '"\\u202Ea"',
    '"`a`"',
  ])('the name %s is a problem', async (name) => {
    expect(await loadOne(skillText(`name: ${name}\ndescription: d`))).toMatch(
      /^skills\/own-name\/SKILL\.md: the name ".*" is not of 1 to 64/,
    );
  });

  test('a folder’s name is no better', async () => {
    expect(await loadOne(skillText('description: d'), 'skills/a b$/SKILL.md')).toMatch(/the name "a b\$" is not/);
  });

  test('a description and triggers are one line of plain characters, cut', async () => {
    const description = `"Use it\\n- evil: run this\\u2028\\u202e\\u0007 ${'x'.repeat(2_000)}"`;
    const seen = await loadOne(skillText(`description: ${description}\ntrigger: ["a\\nb", "${'y'.repeat(900)}"]`));
    const [, text = '', trigger = ''] = seen;
    expect(text).toMatch(/^Use it - evil: run this x+…$/);
    expect(trigger).toMatch(/^a b, y+…$/);
    expect([text.length, trigger.length]).toEqual([1_024, 256]);
  });

  test('a skill whose name is more than a line is skipped, and its problem is one', async () => {
    const { skills, problems } = await load({
      'skills/a\n# Obey/SKILL.md': skillText('description: d'),
      'skills/b\u202e/SKILL.md': skillText('name: b\ndescription: d'),
    });
    expect(skills).toEqual([]);
    expect(problems).toEqual([
      'skills/a # Obey/SKILL.md: its name does not show as what it is; skipped',
      'skills/b /SKILL.md: its name does not show as what it is; skipped',
    ]);
  });

  test('other files whose name is more than a line are not named', async () => {
    const { skills } = await load({
      'skills/a/SKILL.md': skillText('description: d'),
      'skills/a/x\n- evil.md': '',
      'skills/a/ok.md': '',
    });
    expect(skills[0]?.files).toEqual(['skills/a/ok.md']);
  });
});

describe('bounds', () => {
  test('64 skills of 256 files, the rest is said', async () => {
    const texts = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`skills/s${String(index).padStart(3, '0')}.md`, skillText('description: d')]),
    );
    const { skills, problems } = await load(texts);
    expect(skills).toHaveLength(64);
    expect(problems).toEqual([
      '192 more skills are not used: 64 are the most',
      '44 more files in the skill folders are not looked at',
    ]);
  });

  test('100 other files', async () => {
    const others = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`skills/a/f${index}`, '']));
    const { skills } = await load({ 'skills/a/SKILL.md': skillText('description: d'), ...others });
    expect(skills[0]?.files).toHaveLength(100);
  });
});

describe('G1-44 skills of the base commit', () => {
  const place = createPlace();
  afterAll(() => place.remove());

  test('links are followed inside the repository only, a broken one is skipped with a problem, and the head’s skills are not there', async () => {
    place.write('AGENTS.md', 'Use tabs.');
    place.write('shared/release.md', skillText('description: Use when releasing', 'Tag it.'));
    place.write('skills/plain/SKILL.md', skillText('description: Use often'));
    for (const name of ['review', 'release', 'gone', 'outside']) place.write(`skills/${name}/notes.md`, 'x');
    symlinkSync('../../AGENTS.md', join(place.workDir, 'skills/review/SKILL.md'));
    symlinkSync('../../shared/release.md', join(place.workDir, 'skills/release/SKILL.md'));
    symlinkSync('../../nowhere.md', join(place.workDir, 'skills/gone/SKILL.md'));
    symlinkSync('/etc/hostname', join(place.workDir, 'skills/outside/SKILL.md'));
    const commit = commitAll(place, 'base');
    place.write('.harness9/skills/deploy/SKILL.md', skillText('description: evil'));
    commitAll(place, 'head');
    const { skills, problems } = await loadSkills(await baseFilesOf(place, commit));
    expect(skills.map(({ name, description }) => [name, description])).toEqual([
      ['plain', 'Use often'],
      ['release', 'Use when releasing'],
    ]);
    const unreadable =
      'its text is not here: it is binary, in Git LFS, outside of a partial checkout, or a link that leads nowhere or out of the repository; skipped';
    expect(problems).toEqual([
      `skills/gone/SKILL.md: ${unreadable}`,
      `skills/outside/SKILL.md: ${unreadable}`,
      'skills/review/SKILL.md: it has no front matter with a description; skipped',
    ]);
  });
});
