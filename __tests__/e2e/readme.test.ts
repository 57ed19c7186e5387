// README's workflows: their conditions on real payloads, and both run end to end on dist with exactly the inputs that are written there.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import type { PayloadRefs } from '../../src/simulator/github/payloads.ts';
import { realPayload } from './real-payload.ts';
import { mendingTurn, type RunWish, type Scene, startScene } from './scene.ts';
import { withInternet } from './step-preload.ts';

const timeout = 60_000;

const stepSchema = z.object({
  uses: z.string(),
  with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).default({}),
});
const workflowSchema = z.object({
  on: z.record(z.string(), z.unknown()),
  jobs: z.record(
    z.string(),
    z.object({
      if: z.string().optional(),
      permissions: z.record(z.string(), z.enum(['read', 'write'])),
      concurrency: z.object({ group: z.string() }),
      steps: z.array(stepSchema),
    }),
  ),
});

async function loadWorkflow(name: string) {
  const readme = await readFile(path.join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, block = ''] = new RegExp(`<!-- workflow: ${name} -->\n\`\`\`yaml\n([\\s\\S]*?)^\`\`\``, 'm').exec(readme) ?? [];
  const workflow = workflowSchema.parse(parse(block));
  const [[id, job] = []] = Object.entries(workflow.jobs);
  if (id === undefined || job === undefined) throw new Error(`README.md has no workflow ${name}`);
  return { on: workflow.on, id, job };
}

/** The value of an expression where `github` is this. */
function evaluate(expression: string, github: unknown): data.ExpressionData {
  const context = new data.Dictionary({ key: 'github', value: toData(github) });
  const { tokens } = new Lexer(expression.replace(/^\s*\$\{\{|\}\}\s*$/g, '')).lex();
  return new Evaluator(new Parser(tokens, ['github'], []).parse(), context).evaluate();
}

function toData(value: unknown): data.ExpressionData {
  return JSON.parse(JSON.stringify(value), data.reviver);
}

async function starts(name: string, payload: Readonly<Record<string, unknown>>): Promise<boolean> {
  const { on, job } = await loadWorkflow('comment');
  const triggers = on[name];
  const types = z.object({ types: z.array(z.string()) }).parse(triggers).types;
  if (!types.includes(String(payload.action))) return false;
  const value = evaluate(job.if ?? 'true', { event_name: name, event: payload });
  return value instanceof data.BooleanData && value.value;
}

/** The wish that a job of README's comes to: its permissions, its checkout, and the inputs as they are written. */
async function wishOf(
  name: string,
  key: string,
  scene: Scene,
): Promise<Pick<RunWish, 'inputs' | 'onlyInputs' | 'permissions' | 'persistCredentials' | 'job' | 'options'>> {
  const { id, job } = await loadWorkflow(name);
  const [checkout, ours, ...rest] = job.steps;
  if (checkout === undefined || ours === undefined || rest.length > 0) throw new Error(`workflow ${name} has other steps`);
  expect(ours.uses).toMatch(/^harness9\/harness9@v\d+$/);
  const inputs = Object.entries(ours.with).map(([input, value]) => [input, value.replace(/\$\{\{ secrets\.\w+ \}\}/, key)]);
  const permissions = Object.entries(job.permissions).map(([scope, level]) => [scope.replaceAll('-', '_'), level] as const);
  return {
    inputs: Object.fromEntries(inputs),
    onlyInputs: true,
    permissions: Object.fromEntries(permissions),
    persistCredentials: checkout.with['persist-credentials'] !== 'false',
    job: id,
    options: {
      env: withInternet({ 'https://api.openai.com': scene.model.url, 'https://api.anthropic.com': scene.model.url }),
    },
  };
}

describe('the condition of README’s workflow for comments', () => {
  const cases: readonly {
    readonly what: string;
    readonly isStarted: boolean;
    readonly act: (scene: Scene) => Promise<readonly [string, PayloadRefs]> | readonly [string, PayloadRefs];
  }[] = [
    { what: 'a comment with a mention', isStarted: true, act: (scene) => commentOn(scene, 'wendy', '@harness9 fix it') },
    { what: 'a comment without one', isStarted: false, act: (scene) => commentOn(scene, 'wendy', 'fix it, somebody') },
    { what: 'a bot’s comment without one', isStarted: false, act: (scene) => commentOn(scene, 'renovate[bot]', 'Updated.') },
    { what: 'an issue that is opened with one in its body', isStarted: true, act: (scene) => issue(scene, '@harness9 fix it') },
    { what: 'an issue that is opened without one', isStarted: false, act: (scene) => issue(scene, 'It is broken.') },
    { what: 'an issue that is opened without a body', isStarted: false, act: (scene) => issue(scene) },
    {
      what: 'a label',
      isStarted: true,
      act: (scene) => {
        const { number } = scene.github.openIssue({ author: 'wendy', title: 'Total is wrong', body: 'It is broken.' });
        scene.github.addLabel({ issue: number, name: 'harness9', by: 'wendy' });
        return ['issues', { issue: number, action: 'labeled', label: 'harness9', sender: 'wendy' }];
      },
    },
    {
      what: 'a comment that is edited',
      isStarted: false,
      act: (scene) => {
        const [name, refs] = commentOn(scene, 'wendy', '@harness9 fix it');
        return [name, { ...refs, action: 'edited' }];
      },
    },
    { what: 'a review comment with a mention', isStarted: true, act: (scene) => reviewComment(scene, '@harness9 why?') },
    { what: 'a review comment without one', isStarted: false, act: (scene) => reviewComment(scene, 'why?') },
  ];

  test.each(cases)('for $what is $isStarted', async ({ isStarted, act }) => {
    await using scene = await startScene([]);
    const [name, refs] = await act(scene);
    expect(await starts(name, realPayload(name, scene.github.payload(name, refs)))).toBe(isStarted);
  });

  test('puts the runs of one thread into one queue, and of two threads into two', async () => {
    await using scene = await startScene([]);
    const { job } = await loadWorkflow('comment');
    const groupOf = ([name, refs]: readonly [string, PayloadRefs]) =>
      job.concurrency.group.replace(/\$\{\{(.*?)\}\}/, (_all, expression: string) =>
        evaluate(expression, { event: realPayload(name, scene.github.payload(name, refs)) }).coerceString(),
      );
    const first = scene.github.openIssue({ author: 'wendy', title: 'One' });
    const groups = [issueRefs(first.number), commentRefs(scene, first.number), await reviewComment(scene, 'why?')].map(groupOf);
    expect(groups).toEqual(['harness9-1', 'harness9-1', 'harness9-2']);
  });
});

function issueRefs(number: number): readonly [string, PayloadRefs] {
  return ['issues', { issue: number, action: 'opened' }];
}

function commentRefs(scene: Scene, number: number, author = 'wendy', body = 'hello'): readonly [string, PayloadRefs] {
  return ['issue_comment', { issue: number, comment: scene.github.comment({ author, issue: number, body }).id }];
}

function commentOn(scene: Scene, author: string, body: string): readonly [string, PayloadRefs] {
  // The issue's own body asks for us, which is no reason to answer every comment on it.
  const { number } = scene.github.openIssue({ author: 'wendy', title: 'Total is wrong', body: '@harness9 please look' });
  return commentRefs(scene, number, author, body);
}

function issue(scene: Scene, body?: string): readonly [string, PayloadRefs] {
  return issueRefs(
    scene.github.openIssue({ author: 'wendy', title: 'Total is wrong', ...(body === undefined ? {} : { body }) }).number,
  );
}

async function reviewComment(scene: Scene, body: string): Promise<readonly [string, PayloadRefs]> {
  const pull = await scene.github.openPull({
    author: 'wendy',
    head: 'feature',
    title: 'A note',
    files: { 'NOTE.md': 'hello\n' },
  });
  const comment = await scene.github.reviewComment({ author: 'wendy', pull: pull.number, body, path: 'NOTE.md', line: 1 });
  return ['pull_request_review_comment', { pull: pull.number, comment: comment.id }];
}

describe('README’s workflow', () => {
  test(
    'for comments answers a mention with a pull request',
    async () => {
      await using scene = await startScene([mendingTurn, { text: 'Mended.' }]);
      const [event, refs] = commentOn(scene, 'wendy', '@harness9 fix it');
      const wish = await wishOf('comment', 'key-of-the-readme-0123456789', scene);
      const result = await scene.run({ event, refs, actor: 'wendy', ...wish });
      expect(result.outputs).toMatchObject({ conclusion: 'success', trust: 'trusted', error: '' });
      expect(scene.github.snapshot().pulls).toMatchObject([{ draft: true, base: 'main' }]);
      expect(scene.replies(1)).toEqual([expect.stringContaining('Mended.')]);
      expect(scene.model.requests.map(({ dialect, headers }) => [dialect, headers.authorization])).toEqual([
        ['openai', 'Bearer key-of-the-readme-0123456789'],
        ['openai', 'Bearer key-of-the-readme-0123456789'],
      ]);
      expect(result.log).not.toMatch(/##\[warning\]/);
    },
    timeout,
  );

  test(
    'for maintenance opens a pull request by itself',
    async () => {
      await using scene = await startScene([mendingTurn, { text: 'Maintained.' }]);
      const { on } = await loadWorkflow('schedule');
      const [{ cron: schedule }] = z.tuple([z.object({ cron: z.string() })]).parse(on.schedule);
      const wish = await wishOf('schedule', 'key-of-the-readme-0123456789', scene);
      const workflowPath = '.github/workflows/maintenance.yml';
      const result = await scene.run({ event: 'schedule', refs: { schedule }, actor: 'wendy', workflowPath, ...wish });
      expect(result.outputs).toMatchObject({ conclusion: 'success', pull_request_operation: 'created', error: '' });
      expect(scene.github.snapshot().pulls).toMatchObject([{ draft: true, base: 'main' }]);
      expect(scene.sent(0).all).toContain('Look for dependencies with a newer patch release');
      expect(scene.model.requests.map(({ dialect, headers }) => [dialect, headers.authorization])).toEqual([
        ['anthropic', 'Bearer key-of-the-readme-0123456789'],
        ['anthropic', 'Bearer key-of-the-readme-0123456789'],
      ]);
      expect(result.log).not.toMatch(/##\[warning\]/);
    },
    timeout,
  );
});
