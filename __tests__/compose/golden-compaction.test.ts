// The golden scenarios of the reference in which the window is small: what is kept of a long run, and how it is made to fit.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Message } from '../../src/schema/message.ts';
import { textOf } from '../../src/schema/message.ts';
import { estimateTokens } from '../../src/schema/token-estimate.ts';
import { type Mode, modes, tails } from '../engine/scene.ts';
import { type Step, user } from '../engine/scripted-model.ts';
import { says } from '../memory/compaction/histories.ts';
import { askedText, goodSummary, summaryModel } from '../memory/compaction/summary-model.ts';
import { acts, answers, type Golden, lists, mendCart, mended, setGolden } from './golden-scene.ts';

const contextWindow = 8_000;
const task = 'Mend the total. Do not touch secret.cfg. 不要修改它。';
const textsOf = (messages: readonly Message[]): readonly string[] => messages.map(({ content }) => textOf(content));

/** Looks at files of some 1,000 tokens each, one a turn. */
function looks(from: number, to: number): readonly Step[] {
  return Array.from({ length: to - from }, (_, index) => acts(['read_file', { path: `part-${from + index}.txt` }]));
}

function writeParts({ dir }: Golden): void {
  for (let part = 0; part < 40; part += 1) {
    const lines = Array.from({ length: 100 }, (_, line) => `line ${line} of part ${part} says nothing that matters`);
    writeFileSync(path.join(dir, `part-${part}.txt`), `${lines.join('\n')}\n`);
  }
}

/** The compactions of a run: the turn of each, and its name. */
function compactionsOf({ events }: Golden): readonly { readonly turn: number; readonly strategy: string }[] {
  return events.flatMap((event) => (event.type === 'compaction' ? [{ turn: event.turn, strategy: event.data.strategy }] : []));
}

describe.each(modes)('%s', (mode: Mode) => {
  test('[spec golden anchor_preservation] goal, constraints and finished work outlast every summary, also one that forgets them', async () => {
    const bland = [
      'The agent looked at a number of files, one after the other, and in none of them was there anything of interest to it.',
      'Each of these files had a hundred lines, and each line had the same words as the line before it, but for the numbers.',
      'After that the agent went on with the next file, which was like the others, and looked at all of its lines in turn.',
    ].join('\n');
    const summaries = summaryModel((count) => says(count === 1 ? goodSummary : bland));
    const steps = [acts(mendCart), ...looks(0, 8), answers('Mended.'), ...looks(8, 24), answers('Still mended.')];
    using scene = setGolden(mode, steps, { summaries, contextWindow });
    writeParts(scene);
    expect(await scene.play(task)).toMatchObject({ stopReason: 'completed', finalMessage: 'Mended.' });
    expect(await scene.play('Now the parts; still not secret.cfg.')).toMatchObject({ stopReason: 'completed' });
    expect(summaries.requests.length).toBeGreaterThan(2);
    expect(askedText(summaries.requests[1])).toContain(goodSummary);
    const last = scene.model.requests.at(-1)?.messages ?? [];
    const [, goal, comment, summary = ''] = textsOf(last);
    expect([goal, comment]).toEqual([task, 'Now the parts; still not secret.cfg.']);
    expect(summary).toContain(bland);
    expect(summary).toContain('cart.js');
    expect(scene.session.messages[0]).toEqual(user(task));
    expect(scene.read('src/cart.js')).toBe(mended);
  });

  test('[spec golden progressive_tiers] nothing while there is room, then a summary, then one that extends it, without the model where it writes none, and at once after a refusal', async () => {
    const summaries = summaryModel((count) => (count === 3 ? says('') : says(`${goodSummary}\nSummary ${count}.`)));
    const refused: Step = { fault: { kind: 'context_overflow', message: 'too long', retryable: false } };
    using scene = setGolden(mode, [...looks(0, 20), refused, ...looks(20, 22), answers('ok')], { summaries, contextWindow });
    writeParts(scene);
    expect(await scene.play(task)).toMatchObject({ stopReason: 'completed', turns: 24 });
    const made = compactionsOf(scene);
    const written = Array.from({ length: made.length - 3 }, () => 'summarization');
    expect(made.map(({ strategy }) => strategy)).toEqual([
      ...['summarization', 'summarization', 'summarization>token_budget'],
      ...written,
    ]);
    expect(askedText(summaries.requests[1])).toContain('Summary 1.');
    expect(askedText(summaries.requests[3])).toContain('Summary 2.');
    // Never one turn after the other, and none before there is need.
    const turns = made.map(({ turn }) => turn);
    expect(turns.every((turn, index) => turn > (turns[index - 1] ?? 4) + 1)).toBe(true);
    const sizes = scene.model.requests.map(({ messages, tools }) => estimateTokens(messages, tools));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(0.8 * contextWindow);
    expect(turns).toContain(21);
    expect(sizes[21]).toBeLessThanOrEqual((sizes[20] ?? 0) / 2);
  });

  test('[spec golden plan_survives] what a compaction leaves out of the history, the list still says', async () => {
    const list = lists({ 'Look at the parts': 'in_progress', 'Mend total': 'pending', 'Ask the team': 'cancelled' });
    const done = acts(lists({ 'Look at the parts': 'completed', 'Mend total': 'in_progress' }), mendCart);
    const steps = [acts(list), ...looks(0, 12), done, acts(lists({ 'Mend total': 'completed' })), answers('Mended.')];
    using scene = setGolden(mode, steps, { contextWindow });
    writeParts(scene);
    expect(await scene.play(task)).toMatchObject({ stopReason: 'completed', finalMessage: 'Mended.' });
    expect(compactionsOf(scene)).not.toEqual([]);
    const later = scene.model.requests[12];
    expect(later?.messages.flatMap(({ toolCalls }) => toolCalls ?? []).map(({ name }) => name)).not.toContain('todo_write');
    expect(tails(scene.model)[12]).toEqual([expect.stringMatching(/0 completed\):\n\[>\] Look at the parts\n\[ \] Mend total$/)]);
    expect(scene.list()).toEqual(['Look at the parts: completed', 'Mend total: completed']);
  });
});
