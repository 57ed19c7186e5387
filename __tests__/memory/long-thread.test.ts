import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Message } from '../../src/schema/message.ts';
import { textPart } from '../../src/schema/message.ts';
import { createRandom, type Random } from '../tools/random.ts';
import { sessionKeys } from './journal-start.ts';
import { startThread, type Thread } from './thread.ts';

const user = (text: string): Message => ({ role: 'user', content: [textPart(text)] });
const task = user('Fix bug A; do not touch secret.cfg.\n修复 A，不要动 secret.cfg。');

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'thread-'));
});
afterAll(() => rm(folder, { recursive: true }));

const keys = Object.entries(sessionKeys());

describe.each(keys)('a thread whose session file is made with the %s key', (name, key) => {
  test('keeps its file under the cap and its first task word for word, over 200 runs (G6-08)', async () => {
    const maxBytes = 150_000;
    const random = createRandom(name.length);
    const thread = startThread(path.join(folder, name), key, maxBytes);
    await runOnce(thread, random, 0, [task]);
    const sizes: number[] = [];
    for (let run = 1; run < 200; run += 1) {
      const { bytes, problems } = await runOnce(thread, random, run, [user(`comment ${run}`)]);
      expect([run, problems]).toEqual([run, []]);
      sizes.push(bytes.length);
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxBytes);
    // It is full, not merely small.
    expect(Math.max(...sizes)).toBeGreaterThan(0.9 * maxBytes);
  });

  test('that two runs write at once has two whole files, and the next run goes on from either (G6-22)', async () => {
    const thread = startThread(path.join(folder, `${name}-shared`), key);
    await (await thread.begin()).addMessages([task]);
    await thread.end();
    const runs = ['a', 'b'].map((run) => thread.fork(path.join(folder, `${name}-${run}`)));
    const sessions = await Promise.all(runs.map((run) => run.begin()));
    await Promise.all(sessions.map((session, index) => session.addMessages(exchange(`${index}`, 'output'))));
    const files = await Promise.all(runs.map((run) => run.end()));
    for (const [index, run] of runs.entries()) {
      const next = await run.begin();
      expect(await next.getMessages(0)).toEqual([task, ...exchange(`${index}`, 'output')]);
    }
    expect(Buffer.from(files[0] ?? []).equals(files[1] ?? Buffer.alloc(0))).toBe(false);
  });

  test('has a file of 8 MB at most, after a run of any size', async () => {
    const thread = startThread(path.join(folder, `${name}-large`), key);
    const first = await thread.begin();
    await first.addMessages([
      task,
      ...Array.from({ length: 12 }, (_, index) => exchange(`c${index}`, 'x'.repeat(1024 * 1024))).flat(),
    ]);
    const bytes = await thread.end();
    expect(bytes.length).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(bytes.length).toBeGreaterThan(6 * 1024 * 1024);
    const next = await thread.begin();
    expect((await next.getMessages(0))[0]).toEqual(task);
    expect(await next.getMessages(3)).toEqual(exchange('c11', 'x'.repeat(1024 * 1024)));
  });
});

/** A call, its result and an answer. */
function exchange(id: string, output: string): readonly Message[] {
  return [
    { role: 'assistant', content: [], toolCalls: [{ id, name: 'bash', arguments: '{}' }] },
    { role: 'user', content: [textPart(output)], toolCallId: id, isError: false },
    { role: 'assistant', content: [textPart(`answer ${id}`)] },
  ];
}

/** One run: what it finds is looked at, something is added, now and then a checkpoint is made, and the file is sealed. */
async function runOnce(thread: Thread, random: Random, run: number, said: readonly Message[]) {
  const session = await thread.begin();
  const found = await session.getMessages(0);
  const checkpoint = await session.getCheckpoint();
  const covered = found.slice(0, checkpoint?.coversMessages ?? 0);
  const problems = [
    ...(run === 0 || JSON.stringify(found[0]) === JSON.stringify(task) ? [] : ['the first task is not what it was']),
    ...(covered.length === (checkpoint?.coversMessages ?? 0) ? [] : ['the checkpoint covers more than there is']),
    ...(found[covered.length]?.toolCallId === undefined ? [] : ['what is not covered begins with a result']),
    ...(run === 0 || JSON.stringify(found.at(-1)).includes(`"answer ${run - 1}"`) ? [] : ['the last answer is gone']),
    ...((await session.getTodos()).length === Math.min(run, 1) ? [] : ['the to-do list is gone']),
  ];
  await session.addMessages([...said, ...exchange(`${run}`, random.pick(['x', '修']).repeat(random.below(40_000)))]);
  await session.saveTodos([{ id: 'a', content: `do ${run}`, status: 'in_progress' }]);
  const messages = await session.getMessages(0);
  if (random.below(9) === 0) await session.saveCheckpoint({ summary: `Done up to ${run}.`, coversMessages: messages.length - 3 });
  return { bytes: await thread.end(), problems };
}
