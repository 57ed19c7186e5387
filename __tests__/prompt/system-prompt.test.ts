import { describe, expect, test } from '@jest/globals';
import { createBackgroundWork } from '../../src/agents/background-work.ts';
import { builtInAgents } from '../../src/agents/built-in.ts';
import { createTaskTool } from '../../src/agents/task-tool.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { PromptBuilder } from '../../src/engine/ports.ts';
import { createTodoStore } from '../../src/planning/todo-store.ts';
import { createTodoWriteTool } from '../../src/planning/todo-write.ts';
import type { Instructions } from '../../src/prompt/load-instructions.ts';
import { createPromptBuilder, type SystemPromptOptions } from '../../src/prompt/system-prompt.ts';
import { textOf } from '../../src/schema/message.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { renderSkillsIndex } from '../../src/skills/render-index.ts';
import { createUseSkillTool } from '../../src/skills/use-skill.ts';
import { hostToolDefinitions } from '../../src/tools/host-tools.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { registryOf } from '../engine/ports.ts';
import { ScriptedModel, says } from '../engine/scripted-model.ts';
import { filesOf } from '../skills/skill-files.ts';

const options: SystemPromptOptions = {
  workDir: '/w',
  surroundings: 'pull_request',
  tools: [],
  platform: 'linux',
  date: '2026-01-31',
  instructions: { shown: [], leftOut: [] },
  skillsIndex: '',
  append: null,
};
const build = (changes: Partial<SystemPromptOptions> = {}) => createPromptBuilder({ ...options, ...changes }).build();

const rootFile: Instructions = { path: 'AGENTS.md', folder: '', text: 'Use tabs.', isCut: true };
const nestedFile: Instructions = { path: 'pkg/a/CLAUDE.md', folder: 'pkg/a', text: 'Use blanks.', isCut: false };
const skillsIndex = renderSkillsIndex([
  { name: 'go', description: 'Use when writing Go', trigger: '', path: 'skills/go.md', files: [], digest: '' },
]);

/** Nothing is begun here. */
const idleParts: Parameters<typeof createTaskTool>[1] = {
  runSubagent: async () => await Promise.reject(new Error('not here')),
  background: createBackgroundWork({ randomHex: () => '' }),
  clock: systemClock,
  log: () => undefined,
};

describe('createPromptBuilder', () => {
  test('[spec prompt order 1 base] begins with who the agent is and where it works', () => {
    expect(build().split('\n')[0]).toBe(
      'You are harness9, a coding agent. You work on the repository checked out at /w. The system is linux. Today is 2026-01-31.',
    );
    expect(build({ platform: 'darwin', date: '2027-02-28' }).split('\n')[0]).toMatch(
      /checked out at \/w\. The system is darwin\. Today is 2027-02-28\.$/,
    );
  });

  test('[spec prompt order 2 AGENTS.md] [spec prompt order 3 skills index] then instructions, skills and the addition, each with where it is from', () => {
    const instructions = { shown: [rootFile, nestedFile], leftOut: ['pkg/b/AGENTS.md'] };
    const prompt = build({ instructions, tools: ['use_skill'], skillsIndex, append: 'Be kind.' });
    expect(prompt.slice(prompt.indexOf('# Instructions'))).toBe(
      [
        '# Instructions of this repository, from AGENTS.md\nUse tabs.\n(cut here for its size)',
        '# Instructions for files under pkg/a, where they override those above, from pkg/a/CLAUDE.md\nUse blanks.',
        'There was no room for pkg/b/AGENTS.md. Read what lies nearest to the files that you change, for the ways of that code.',
        skillsIndex,
        'Be kind.',
      ].join('\n\n'),
    );
    expect(prompt.startsWith(build().slice(0, 200))).toBe(true);
  });

  test('what is not there leaves nothing behind, not even an empty line', () => {
    expect(build()).toBe(build({ append: '', skillsIndex: '' }));
    expect(build()).not.toMatch(/\n{3}|\n$|AGENTS|kill|todo/);
  });

  test('speaks of todo_write and use_skill only when they are there', () => {
    expect(build({ skillsIndex })).toBe(build());
    expect(build({ tools: ['use_skill'], skillsIndex })).toContain('- go: Use when writing Go');
    expect(build({ tools: ['use_skill'] })).toBe(build());
    expect(build({ tools: ['todo_write'] })).toContain('todo_write');
    expect(build({ tools: ['bash'] })).not.toContain('todo_write');
  });

  test('counts the files for which there was no room when they are many', () => {
    const leftOut = Array.from({ length: 50 }, (_, index) => `p${index}/AGENTS.md`);
    expect(build({ instructions: { shown: [], leftOut } })).toContain('p29/AGENTS.md and 20 more. Read');
  });

  test.each(['pull_request', 'push_to_head', 'reply', 'plan', 'terminal', 'subagent'] as const)(
    'is short and the same at every call: %s',
    (surroundings) => {
      const builder: PromptBuilder = createPromptBuilder({ ...options, surroundings, tools: ['todo_write', 'use_skill'] });
      expect(builder.build()).toBe(builder.build());
      expect(Buffer.byteLength(builder.build())).toBeLessThan(3_000);
    },
  );

  test('says how the changes come back', () => {
    expect(build({ surroundings: 'reply' })).toContain('Nothing is pushed');
    expect(build({ surroundings: 'push_to_head' })).toContain('pushed to the pull request');
    expect(build({ surroundings: 'plan' })).toContain('another run carries it out');
    expect(build({ surroundings: 'plan' })).not.toMatch(/are collected|diff/);
    expect(build({ surroundings: 'terminal' })).not.toContain('are collected');
  });

  test('a sub-agent is told its role before the instructions, and that an agent reads its answer', () => {
    const instructions = { shown: [{ path: 'AGENTS.md', folder: '', text: 'INSTRUCTED', isCut: false }], leftOut: [] };
    const prompt = build({ surroundings: 'subagent', role: 'You review.', instructions });
    expect(prompt.indexOf('# Your role\nYou review.')).toBeLessThan(prompt.indexOf('INSTRUCTED'));
    expect(prompt).toContain('Your last message is all that is seen of your work');
    expect(prompt).not.toContain('the answer that people read');
    expect(build({})).not.toContain('# Your role');
  });

  test('with the schemas of all tools it is well below 8 KiB', () => {
    const own = [
      defineTool(createTodoWriteTool(createTodoStore())),
      defineTool(createUseSkillTool([], filesOf({}))),
      defineTool(createTaskTool(builtInAgents, idleParts)),
    ];
    const definitions = [...hostToolDefinitions(), ...own.map(({ definition }) => definition)];
    const prompt = build({ tools: definitions.map(({ name }) => name) });
    expect(Buffer.byteLength(prompt) + Buffer.byteLength(JSON.stringify(definitions))).toBeLessThan(8_192);
  });
});

test('[spec 5.5 WithPromptBuilder] the engine sends what the builder built, and another builder takes its place', async () => {
  const sentBy = async (promptBuilder: PromptBuilder) => {
    const model = new ScriptedModel([{ answer: says('done') }]);
    await createEngine(model, registryOf({}), '/w', { promptBuilder }).run('go');
    const [first] = model.requests[0]?.messages ?? [];
    return [first?.role, textOf(first?.content ?? [])];
  };
  expect(await sentBy(createPromptBuilder(options))).toEqual(['system', build()]);
  expect(await sentBy({ build: () => 'Be terse.' })).toEqual(['system', 'Be terse.']);
});
