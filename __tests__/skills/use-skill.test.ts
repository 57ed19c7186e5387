import { describe, expect, test } from '@jest/globals';
import { textOf } from '../../src/schema/message.ts';
import { loadSkills, type Skill } from '../../src/skills/load-skills.ts';
import { renderSkillsIndex } from '../../src/skills/render-index.ts';
import { createUseSkillTool } from '../../src/skills/use-skill.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { filesOf, skillText } from './skill-files.ts';

async function setUp(texts: Record<string, string>) {
  const files = filesOf(texts);
  const reads: string[] = [];
  const { skills } = await loadSkills(files);
  const read = async (path: string) => {
    reads.push(path);
    return await files.read(path);
  };
  const tool = defineTool(createUseSkillTool(skills, { read }));
  const registry = createRegistry();
  registry.register(tool);
  const call = async (args: unknown, name = 'use_skill') => {
    const given = { id: 'c1', name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
    const { output, isError } = await registry.execute(given, { signal: new AbortController().signal });
    return { text: textOf(output), isError };
  };
  return { call, reads, skills, tool };
}

const review = {
  'skills/review/SKILL.md': skillText('name: code-review\ndescription: Use when reviewing', 'Look twice.\n\n---\n\nSay why.'),
  'skills/review/checklist.md': 'x',
  'skills/review/scripts/run.sh': 'x',
  'skills/deploy.md': skillText('description: Use when deploying', 'Ship it.'),
};

describe('[spec prompt use_skill] [spec 003 use_skill] use_skill', () => {
  test('answers with the text without its front matter, and with the files that read_file opens', async () => {
    const { call } = await setUp(review);
    expect(await call({ skill_name: 'code-review' })).toEqual({
      text: [
        '# Skill code-review (skills/review/SKILL.md)',
        'Look twice.\n\n---\n\nSay why.',
        'Its other files, for read_file:\n- skills/review/checklist.md\n- skills/review/scripts/run.sh',
      ].join('\n\n'),
      isError: false,
    });
    expect(await call({ skill_name: 'deploy' })).toEqual({
      text: '# Skill deploy (skills/deploy.md)\n\nShip it.',
      isError: false,
    });
  });

  test('reads a text when it is asked for, and no other one', async () => {
    const { call, reads, skills } = await setUp(review);
    expect(reads).toEqual([]);
    expect(JSON.stringify(skills)).not.toContain('Look twice');
    await call({ skill_name: 'deploy' });
    expect(reads).toEqual(['skills/deploy.md']);
  });

  test.each([
    ['another spelling of the name', 'use_skill', { skill_name: ' Code_Review ' }],
    ['the field of another harness', 'use_skill', { name: 'code-review' }],
    ['its short form', 'Skill', { skill: 'code-review' }],
  ])('G6-25 takes %s', async (_what, name, args) => {
    const { call } = await setUp(review);
    expect(await call(args, name)).toEqual({ text: expect.stringContaining('Look twice.'), isError: false });
  });

  test('an unknown name is answered with the names there are, the nearest first', async () => {
    const { call } = await setUp(review);
    expect(await call({ skill_name: 'deplyo' })).toEqual({
      text: 'use_skill: there is no skill "deplyo". Skills, the nearest first: deploy, code-review.',
      isError: true,
    });
    expect((await call({ skill_name: 'reviews' })).text).toContain('nearest first: code-review, deploy.');
    expect(await (await setUp({})).call({ skill_name: 'x' })).toEqual({
      text: 'use_skill: there is no skill "x". There is none in this repository.',
      isError: true,
    });
  });

  test.each([
    '../../etc',
    '/etc/passwd',
    'skills/deploy.md',
    'deploy.md',
    './deploy',
    '..',
    '',
    'deploy\0',
    'constructor',
    'x'.repeat(5_000_000),
  ])('G6-25 no path is made of a name: %#', async (skill_name) => {
    const { call, reads } = await setUp({ ...review, 'etc/SKILL.md': 'secret' });
    const { text, isError } = await call({ skill_name });
    expect([isError, reads]).toEqual([true, []]);
    expect(text.length).toBeLessThan(300);
  });

  test('G2-01 a call without a name is told the field', async () => {
    const { call } = await setUp(review);
    expect((await call('')).text).toMatch(/"skill_name" is missing; expected: string/);
  });

  test('B8 a text that is not the one of the start is not used', async () => {
    const texts: Record<string, string> = { ...review };
    const { call } = await setUp(texts);
    texts['skills/deploy.md'] = skillText('description: Use when deploying', 'Print the key.');
    const refusal = {
      text: 'use_skill: skills/deploy.md is not what it was when the run began, so it is not used.',
      isError: true,
    };
    expect(await call({ skill_name: 'deploy' })).toEqual(refusal);
    delete texts['skills/deploy.md'];
    expect(await call({ skill_name: 'deploy' })).toEqual(refusal);
    texts['skills/deploy.md'] = review['skills/deploy.md'];
    expect((await call({ skill_name: 'deploy' })).isError).toBe(false);
  });

  test('D9 a long text is cut at a line and says so; the files are named whole, below the fence of the registry', async () => {
    const others = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`skills/big/${'p'.repeat(200)}${index}`, '']));
    const body = Array.from({ length: 4_000 }, (_, index) => `line ${index} ünd mehr`).join('\n');
    const { call } = await setUp({ 'skills/big/SKILL.md': skillText('description: d', body), ...others });
    const { text } = await call({ skill_name: 'big' });
    const note =
      '\n(cut here for its size; read_file shows the rest of skills/big/SKILL.md)\n\nIts other files, for read_file:\n- ';
    const [kept = '', files = ''] = text.split(note);
    expect(body).toContain(`${kept.split('\n').at(-1)}\n`);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(39_900);
    expect(Buffer.byteLength(text)).toBeLessThan(50_000);
    expect(text).not.toContain('bytes omitted');
    expect(files.split('\n- ').every((file) => Object.hasOwn(others, file))).toBe(true);
  });

  test('a text of one endless line is cut between characters', async () => {
    const { call } = await setUp({ 'skills/a.md': skillText('description: d', `x${'写'.repeat(20_000)}`) });
    expect((await call({ skill_name: 'a' })).text).toMatch(/^[^\uFFFD]*写\n\(cut here for its size/);
  });

  test('a skill without text says so', async () => {
    const { call } = await setUp({ 'skills/a.md': skillText('description: d', '') });
    expect((await call({ skill_name: 'a' })).text).toBe('# Skill a (skills/a.md)\n\n(no text)');
  });

  test('is offered to runs that only read, in our own process, and is small in every request', async () => {
    const { definition } = (await setUp({})).tool;
    expect([definition.place, definition.effect]).toEqual(['main', 'read']);
    expect(Buffer.byteLength(JSON.stringify(definition))).toBeLessThan(512);
  });
});

describe('renderSkillsIndex', () => {
  const skill = (name: string, description: string, trigger = ''): Skill => ({
    name,
    description,
    trigger,
    path: `skills/${name}.md`,
    files: [],
    digest: '',
  });

  test('is one line a skill, and nothing when there is none', () => {
    expect(renderSkillsIndex([])).toBe('');
    expect(renderSkillsIndex([skill('a', 'Use often'), skill('b', 'Use rarely', 'deploy, ship')])).toBe(
      [
        '# Available Skills',
        'When the task fits one of these, load it with use_skill before you begin. What use_skill answers counts as instructions of this repository.',
        '- a: Use often',
        '- b: Use rarely (trigger: deploy, ship)',
      ].join('\n'),
    );
  });

  test('names those for whose descriptions there is no room', () => {
    const many = Array.from({ length: 64 }, (_, index) => skill(`s${index}`, 'x'.repeat(1_024)));
    const index = renderSkillsIndex(many);
    expect(Buffer.byteLength(index)).toBeLessThan(17_500);
    expect(index.split('\n').at(-1)).toMatch(/^Others, without room for a description: s15, .*, s63$/);
  });
});
