// Sessions and compaction as a run meets them: the whole engine, real stores, models with a real window.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { Compactor, LLMProvider, Session, ToolRegistry } from '../../src/engine/ports.ts';
import { createSlidingWindowCompactor } from '../../src/memory/compaction/sliding-window.ts';
import { createSummarizationCompactor } from '../../src/memory/compaction/summarization.ts';
import { createTokenBudgetCompactor } from '../../src/memory/compaction/token-budget.ts';
import { readJournal } from '../../src/memory/journal.ts';
import { messagesOf } from '../../src/memory/session-records.ts';
import { openSqliteStore } from '../../src/memory/sqlite/sqlite-store.ts';
import { type Message, textOf } from '../../src/schema/message.ts';
import type { RunResult } from '../../src/schema/run.ts';
import { FullSession, registryOf } from '../engine/ports.ts';
import { prose } from './compaction/histories.ts';
import { sessionKeys } from './journal-start.ts';
import { runAndKill } from './run-and-kill.ts';
import { reports, StrictModel, type StrictModelOptions } from './strict-model.ts';
import { startThread } from './thread.ts';
import { journalKey } from './turns.ts';

const task = 'Fix bug A; do not touch the file secret.cfg. 不要修改它。';

const compactors: Readonly<Record<string, (provider: LLMProvider) => Compactor>> = {
  summarization: (provider) => createSummarizationCompactor({ provider }),
  token_budget: () => createTokenBudgetCompactor(),
  sliding_window: () => createSlidingWindowCompactor(),
};

/** Tools whose results are prose of so many tokens. */
function tools(tokens: number): ToolRegistry {
  let count = 0;
  const run = (): string => {
    count += 1;
    return prose(tokens, count);
  };
  return registryOf({ read_file: { run }, bash: { run } });
}

interface Play {
  readonly strategy?: string;
  readonly contextWindow: number;
  readonly prompt?: string;
  readonly session?: Session;
  readonly tokens?: number;
}

/** One run, and how often it compacted. */
async function play(model: StrictModel, options: Play): Promise<RunResult & { readonly compactions: number }> {
  const { strategy = 'summarization', contextWindow, prompt = task, session, tokens = 150 } = options;
  let compactions = 0;
  const engine = createEngine(model, tools(tokens), '/w', {
    maxTurns: 0,
    contextWindow,
    session,
    compactor: compactors[strategy]?.(model),
    onEvent: ({ type }) => {
      if (type === 'compaction') compactions += 1;
    },
  });
  return { ...(await engine.run(prompt)), compactions };
}

describe.each(Object.keys(compactors))('200 turns with %s', (strategy) => {
  test.each([4_000, 8_000, 32_000])(
    'in a window of %d: never too long, the task word for word, a new prefix with each compaction only',
    async (window) => {
      const model = new StrictModel({ window, turns: 200, task });
      const { compactions, ...result } = await play(model, { strategy, contextWindow: window });
      expect(result).toMatchObject({ stopReason: 'completed', turns: 201 });
      expect({ problems: model.problems, refused: model.refused }).toEqual({ problems: [], refused: 0 });
      expect(model.largest).toBeLessThanOrEqual(0.8 * window);
      expect(compactions).toBeGreaterThan(1);
      expect(model.newPrefixes).toBeLessThanOrEqual(compactions);
    },
  );

  test.each([
    [0, 16_000, 1],
    [128_000, 16_000, 1],
    [128_000, 16_000, 1.8],
    [4_000, 4_000, 1.8],
  ])(
    'and a window of %d that is in truth %d, tokens %d times the estimate, unreported: refused once at most, and then known',
    async (contextWindow, window, factor) => {
      const model = new StrictModel({ window, turns: 200, task, factor, report: 'none' });
      expect(await play(model, { strategy, contextWindow })).toMatchObject({ stopReason: 'completed' });
      expect(model.problems).toEqual([]);
      expect(model.refused).toBeLessThanOrEqual(1);
    },
  );

  test.each(reports)('usage that is reported like this: %s', async (report) => {
    const model = new StrictModel({ window: 8_000, turns: 200, task, report });
    expect(await play(model, { strategy, contextWindow: 8_000 })).toMatchObject({ stopReason: 'completed' });
    expect(model.problems).toEqual([]);
    expect(model.refused).toBeLessThanOrEqual(1);
  });
});

describe('windows that no conversation fits', () => {
  test.each([1, 500, 2_000])(
    '%d tokens: every request is as small as it gets, and no model is asked for summaries',
    async (contextWindow) => {
      const model = new StrictModel({ window: 100_000, turns: 60 });
      expect(await play(model, { contextWindow })).toMatchObject({ stopReason: 'completed' });
      expect({ problems: model.problems, summaries: model.summaries }).toEqual({ problems: [], summaries: 0 });
      expect(model.largest).toBeLessThan(Math.max(contextWindow, 1_000));
    },
  );

  test('a task of 300 KB beside a window of 8,000 tokens keeps its end, and its bytes from turn to turn', async () => {
    const prompt = `${prose(75_000)}\nThe request: fix bug A.`;
    const model = new StrictModel({ window: 8_000, turns: 60, factor: 1.5 });
    const { compactions, ...result } = await play(model, { contextWindow: 8_000, prompt });
    expect(result).toMatchObject({ stopReason: 'completed' });
    expect(model.problems).toEqual([]);
    expect(model.newPrefixes).toBeLessThanOrEqual(compactions + 1);
    for (const { messages } of model.requests) expect(textOf(messages[1]?.content ?? [])).toMatch(/fix bug A\.$/);
  });
});

describe('a conversation over many runs', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'through-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const small: StrictModelOptions = { window: 6_000, turns: 8, task };

  /** 30 runs: whatever the checkpoint says, the model is never sent too much, and the first task always. */
  async function expectSound(
    next: (run: number) => Promise<Session>,
    end: () => Promise<unknown> = async () => {},
  ): Promise<void> {
    let made = 0;
    for (let run = 0; run < 30; run += 1) {
      const model = new StrictModel({ ...small, name: `r${run}_`, factor: 1 + (run % 3) / 4 });
      const session = await next(run);
      const result = await play(model, { contextWindow: 6_000, session, prompt: run === 0 ? task : `comment ${run}` });
      expect([run, result.stopReason, result.notes, model.problems]).toEqual([run, 'completed', undefined, []]);
      // The first request of a run goes by the estimate alone.
      expect([run, model.refused <= 1]).toEqual([run, true]);
      made += result.compactions;
      await end();
    }
    // A checkpoint outlives its run: else each run would begin with all of it and compact that anew.
    expect(made).toBeLessThan(30 * 4);
    expect(made).toBeGreaterThan(15);
  }

  test('in SQLite', async () => {
    const file = path.join(folder, 's.db');
    const now = (): Date => new Date('2026-01-02T03:04:05.000Z');
    let store = await openSqliteStore(file, { now, newId: () => 's1' });
    await expectSound(
      async (run) => {
        const session = run === 0 ? await store.create('/w') : await store.open('s1');
        if (session === undefined) throw new Error('the session is gone');
        return session;
      },
      async () => {
        store.close();
        store = await openSqliteStore(file, { now, newId: () => 's1' });
      },
    );
    store.close();
  });

  test.each([8 * 1024 * 1024, 40_000])('in journals and session files of %d bytes at most', async (maxBytes) => {
    const thread = startThread(path.join(folder, `${maxBytes}`), sessionKeys().encrypting, maxBytes);
    await expectSound(
      () => thread.begin(),
      async () => expect((await thread.end()).length).toBeLessThanOrEqual(maxBytes),
    );
  });

  test.each(['journal', 'sqlite'])(
    'a process that is killed in any moment is gone on with, summaries and all (%s)',
    async (kind) => {
      let base = '';
      let before: readonly Message[] = [];
      for (let run = 0; run < 8; run += 1) {
        const file = path.join(folder, kind === 'sqlite' ? 'killed.db' : `killed-${run}`);
        const lines = await runEngine([kind, file, base], 3 + run * 9);
        const { messages, records } = await contentOf(kind, file);
        base = path.join(folder, 'base.json');
        await writeFile(base, JSON.stringify(records));
        // What was estimated was asked; what was asked before is saved with its results.
        const asked = Math.max(0, ...lines.map((line) => Number(/^token_update (\d+)$/.exec(line)?.[1] ?? 0)));
        expect([run, messages.slice(0, before.length)]).toEqual([run, before]);
        expect([run, messages.length >= before.length + 1 + 3 * (asked - 1)]).toEqual([run, true]);
        expect([run, (messages.length - before.length - 1) % 3]).toEqual([run, 0]);
        before = messages;
      }
      const lines = await runEngine([kind, path.join(folder, kind === 'sqlite' ? 'killed.db' : 'killed-last'), base]);
      expect(lines.at(-1)).toBe('completed [null,[],0]');
      expect(lines.some((line) => line.startsWith('compaction '))).toBe(true);
    },
  );

  test('a run that goes on with a compacted session begins with the bytes of the one before', async () => {
    const session = new FullSession();
    const first = new StrictModel({ ...small, turns: 40, name: 'a' });
    await play(first, { contextWindow: 6_000, session });
    const second = new StrictModel({ ...small, turns: 0, name: 'b' });
    await play(second, { contextWindow: 6_000, session, prompt: 'And now?' });
    const [last, next] = [first.requests.at(-1)?.messages ?? [], second.requests[0]?.messages ?? []];
    expect(session.savedCheckpoints.length).toBeGreaterThan(1);
    expect(JSON.stringify(next.slice(0, last.length))).toBe(JSON.stringify(last));
  });

  test('messages that are taken out, doubled or torn, and checkpoints that count wrong, never give a request that is refused', async () => {
    const stored = new FullSession();
    await play(new StrictModel({ ...small, turns: 60 }), { contextWindow: 6_000, session: stored });
    const checkpoint = stored.savedCheckpoints.at(-1) ?? { summary: '', coversMessages: 0 };
    const { messages } = stored;
    for (let off = -8; off <= 8; off += 1) {
      for (const kept of [messages, messages.slice(0, off), messages.slice(Math.abs(off)), messages.slice(0, Math.abs(off))]) {
        const session = new FullSession({
          messages: kept,
          checkpoint: { ...checkpoint, coversMessages: Math.max(0, checkpoint.coversMessages + off) },
        });
        const model = new StrictModel({ window: 6_000, turns: 2, name: 'z' });
        expect(await play(model, { contextWindow: 6_000, session, prompt: 'And now?' })).toMatchObject({
          stopReason: 'completed',
        });
        expect({ off, problems: model.problems, refused: model.refused }).toEqual({ off, problems: [], refused: 0 });
      }
    }
  });
});

/** The lines of a child that runs the engine, killed when it has said so many. */
function runEngine(args: readonly string[], killAfter?: number): Promise<readonly string[]> {
  const child = path.join(import.meta.dirname, 'running-child.ts');
  return runAndKill(process.execPath, ['--disable-warning=ExperimentalWarning', child, ...args], killAfter);
}

async function contentOf(kind: string, file: string) {
  if (kind === 'journal') {
    const { records } = (await readJournal(file, journalKey)) ?? { records: [] };
    return { records, messages: messagesOf(records) };
  }
  const store = await openSqliteStore(file, { now: () => new Date(0), newId: () => 'other' });
  const messages = (await (await store.open('s1'))?.getMessages(0)) ?? [];
  store.close();
  return { records: [], messages };
}
