// What a very long thread and a very large pull request cost: calls, and bytes of the prompt. `npm run bench -- --threads` shows memory, too.
import { describe, expect, test } from '@jest/globals';
import { loadTask } from '../../../src/github/context/load-task.ts';
import { createWriterLookup } from '../../../src/github/event/load-permission.ts';
import { renderPrompt } from '../../../src/prompt/render-prompt.ts';
import { textOf } from '../../../src/schema/message.ts';
import { planOf, portsOf, type Stage } from '../planned.ts';
import { never, startStage } from '../simulated.ts';

/** Gate and task of one mention: the calls that they made, and the prompt. */
async function askOn(stage: Stage, thread: number, changes: Parameters<typeof planOf>[2] = {}) {
  const event = stage.mention(thread);
  const before = stage.hub.requests.length;
  const { owner, repo } = stage.hub;
  const isWriter = createWriterLookup({ api: stage.api, repository: { owner, repo } });
  const plan = await planOf(stage, event, changes, isWriter);
  const task = await loadTask(plan, { ...portsOf(stage), isWriter }, never);
  return { task, calls: stage.hub.requests.length - before, prompt: textOf(renderPrompt(task, { fence: 'f00d' })) };
}

/** 192 KB of texts, and the labels around them. */
const maxPrompt = 230_000;

describe('the context of what is very large', () => {
  test('G1-22 a thread of 1,000 comments by 200 people costs few calls, and a prompt that has an end', async () => {
    await using stage = await startStage();
    const issue = stage.hub.openIssue({ author: 'mona', title: 'Long', body: 'x'.repeat(60_000) });
    for (let index = 0; index < 1_000; index += 1) {
      stage.hub.comment({ author: `person-${index % 200}`, issue: issue.number, body: `${index} ${'y'.repeat(2_000)}` });
    }
    const { task, calls, prompt } = await askOn(stage, issue.number);
    expect(task.items.at(-1)?.text).toMatch(/^999 /);
    const shown = task.items.filter(({ kind }) => kind === 'comment').length;
    expect(shown).toBe(32);
    expect(task.omitted).toEqual([`the ${1_000 - shown} oldest of 1000 comments, for their size`]);
    expect(Buffer.byteLength(prompt)).toBeLessThan(maxPrompt);
    expect(calls).toBeLessThan(50);
  });

  test('who wrote last is asked for first, so that a crowd before him makes no outsider of who may write', async () => {
    await using stage = await startStage();
    const issue = stage.hub.openIssue({ author: 'mona', title: 'Popular' });
    for (let index = 0; index < 60; index += 1) stage.hub.comment({ author: `person-${index}`, issue: issue.number, body: '+1' });
    stage.hub.addUser('nina', { permission: 'write' });
    stage.hub.comment({ author: 'nina', issue: issue.number, body: 'It is the parser.' });
    const { task } = await askOn(stage, issue.number, { context: 'writers' });
    expect(task.items.map(({ author, role }) => [author, role])).toEqual([
      ['mona', 'writer'],
      ['nina', 'writer'],
    ]);
    expect(task.omitted).toEqual(['60 comments by people who may not write here']);
  });

  test('G1-24 a pull request of 3,000 files and 1,000 comments costs few calls, and says what is not shown', async () => {
    await using stage = await startStage();
    const { hub } = stage;
    const names = Array.from({ length: 3_000 }, (_none, index) => `src/folder-${index % 50}/file-${index}.ts`);
    const files = Object.fromEntries(names.map((name) => [name, `export const name = '${name}';\n`.repeat(20)]));
    const pull = await hub.openPull({ author: 'mona', head: 'feature', title: 'Large', files, body: 'x'.repeat(65_000) });
    for (let index = 0; index < 1_000; index += 1) {
      hub.comment({ author: 'mona', issue: pull.number, body: `${index} ${'y'.repeat(2_000)}` });
    }
    const place = { author: 'mona', pull: pull.number, path: names[0] ?? '', line: 1 };
    for (let index = 0; index < 10; index += 1) await hub.reviewComment({ ...place, body: `${index} ${'z'.repeat(9_000)}` });
    const { task, calls, prompt } = await askOn(stage, pull.number);
    expect(task.items.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['body', 'files', 'diff', 'comment']));
    expect(task.omitted).toContainEqual(expect.stringMatching(/^the names and patches of \d+ of 3000 changed files$/));
    expect(task.omitted).toContainEqual(expect.stringMatching(/^the \d+ oldest of 1000 comments, for their size$/));
    expect(task.omitted).toContain('the commits, for the size of the whole');
    expect(Buffer.byteLength(prompt)).toBeLessThan(maxPrompt);
    expect(calls).toBeLessThan(50);
  }, 180_000);
});
