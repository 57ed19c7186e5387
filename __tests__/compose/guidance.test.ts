import { describe, expect, test } from '@jest/globals';
import { type GuidanceFiles, loadGuidance } from '../../src/compose/guidance.ts';

/** Files by path; null is a file without a text. */
function filesOf(texts: Readonly<Record<string, string | null>>): GuidanceFiles {
  return {
    list: async (folder) => Object.keys(texts).filter((path) => folder === '' || path.startsWith(`${folder}/`)),
    read: async (path) => texts[path] ?? null,
  };
}

async function load(texts: Readonly<Record<string, string | null>>, names = ['AGENTS.md']) {
  const lines: string[] = [];
  const guidance = await loadGuidance(filesOf(texts), names, (line) => lines.push(line));
  return { guidance, lines };
}

const skill = '---\ndescription: How prices are added\n---\nCents.';

describe('what a repository says of itself', () => {
  test('is read once, and a skill is given as it was found', async () => {
    const texts = { 'AGENTS.md': 'Use tabs.', 'skills/money.md': skill };
    const { guidance, lines } = await load(texts);
    texts['skills/money.md'] = 'changed by the agent';
    expect(guidance.instructions.shown.map(({ text }) => text)).toEqual(['Use tabs.']);
    expect(await guidance.readSkill('skills/money.md')).toBe(skill);
    expect([await guidance.readSkill('AGENTS.md'), await guidance.readSkill('skills/other.md')]).toEqual([null, null]);
    expect(lines).toEqual([]);
  });

  test('is named in the log where it is there and cannot be read, or was asked for and is not there', async () => {
    const texts = { 'AGENTS.md': null, 'CLAUDE.md': 'Use tabs.', 'web/AGENTS.md': null, 'skills/money.md': null };
    const { guidance, lines } = await load(texts, ['AGENTS.md', './docs/rules.md']);
    expect(guidance.instructions.shown.map(({ path }) => path)).toEqual(['CLAUDE.md']);
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      '[skills] skills/money.md',
      '[instructions] AGENTS.md',
      '[instructions] docs/rules.md',
      '[instructions] web/AGENTS.md',
    ]);
  });

  test('has agents whose tools may be called what other harnesses call them', async () => {
    const text =
      '---\ndescription: x\ntools: Read, Edit(src/**), Bash(ls:*), mcp__a__b\ndisallowedTools: Skill, Task, Write\n---\nDo.';
    const { guidance } = await load({ '.claude/agents/a.md': text });
    expect(guidance.agents.find(({ name }) => name === 'a')).toMatchObject({
      tools: ['read_file', 'edit_file(src/**)', 'bash(ls:*)', 'mcp__a__b'],
      disallowedTools: ['use_skill', 'task', 'write_file'],
    });
  });

  test('is no news where there is none', async () => {
    expect((await load({ 'README.md': 'x' })).lines).toEqual([]);
  });
});
