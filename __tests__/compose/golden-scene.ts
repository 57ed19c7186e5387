// A scene for the golden scenarios: a scripted model, the real engine with our compactor and repair, the real tools over a real folder.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withMainTools } from '../../src/compose/main-tools.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import { createSummarizationCompactor } from '../../src/memory/compaction/summarization.ts';
import { createTodoStore } from '../../src/planning/todo-store.ts';
import { createTodoWriteTool } from '../../src/planning/todo-write.ts';
import { textOf } from '../../src/schema/message.ts';
import type { EngineEvent, RunResult } from '../../src/schema/run.ts';
import { estimateTokens } from '../../src/schema/token-estimate.ts';
import { createHostTools } from '../../src/tools/host-tools.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { FullSession } from '../engine/ports.ts';
import { type Mode, playIn } from '../engine/scene.ts';
import { call, calls, ScriptedModel, type Step, says } from '../engine/scripted-model.ts';
import { goodModel, type SummaryModel } from '../memory/compaction/summary-model.ts';

export const broken = 'export function total(prices) {\n  return prices.reduce((sum, price) => sum - price, 0);\n}\n';
export const mended = broken.replace('sum - price', 'sum + price');

export interface Golden extends Disposable {
  readonly dir: string;
  readonly engine: Engine;
  readonly model: ScriptedModel;
  readonly session: FullSession;
  readonly events: readonly EngineEvent[];
  play(prompt?: string): Promise<RunResult>;
  /** What each call came to, in the order of the history: its tool, with `!` where it failed. */
  done(): readonly string[];
  /** What the model was told about the call of this number, from 0. */
  heard(number: number): string;
  list(): readonly string[];
  read(file: string): string;
}

/** `src/cart.js` is there, with a total that subtracts. */
export function setGolden(
  mode: Mode,
  steps: readonly Step[],
  { summaries = goodModel(), ...options }: EngineOptions & { readonly summaries?: SummaryModel } = {},
): Golden {
  const dir = mkdtempSync(path.join(tmpdir(), 'harness9-golden-'));
  mkdirSync(path.join(dir, 'src'));
  writeFileSync(path.join(dir, 'src/cart.js'), broken);
  const [session, todoStore, model, lifetime] = [
    new FullSession(),
    createTodoStore(),
    new ScriptedModel(steps),
    new AbortController(),
  ];
  const host = createRegistry();
  const hostOptions = { workDir: dir, env: { PATH: process.env.PATH ?? '' }, redactionMark: '***', lifetime: lifetime.signal };
  for (const tool of createHostTools({ ...hostOptions, randomHex: () => 'aa' })) host.register(tool);
  const events: EngineEvent[] = [];
  const engine = createEngine(model, withMainTools(host, [defineTool(createTodoWriteTool(todoStore))]), dir, {
    session,
    todoStore,
    estimateTokens,
    compactor: createSummarizationCompactor({ provider: summaries }),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const observations = () => session.messages.filter(({ toolCallId }) => toolCallId !== undefined);
  const nameOf = (id: string | undefined) =>
    session.messages.flatMap(({ toolCalls }) => toolCalls ?? []).find((each) => each.id === id)?.name;
  return {
    dir,
    engine,
    model,
    session,
    events,
    play: (prompt = 'Mend the total.') => playIn(mode, engine, prompt),
    done: () => observations().map(({ toolCallId, isError }) => `${nameOf(toolCallId)}${isError === true ? '!' : ''}`),
    heard: (number) => textOf(observations()[number]?.content ?? []),
    list: () => todoStore.getItems().map(({ content, status }) => `${content}: ${status}`),
    read: (file) => readFileSync(path.join(dir, file), 'utf8'),
    [Symbol.dispose]: () => {
      lifetime.abort();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A turn that calls tools: `acts(['bash', { command: 'ls' }], …)`. */
export function acts(...wanted: readonly (readonly [name: string, args: object])[]): Step {
  return { answer: calls(...wanted.map(([name, args]) => call('', name, args))) };
}

/** A turn that ends. */
export function answers(text: string): Step {
  return { answer: says(text) };
}

export const readCart = ['read_file', { path: 'src/cart.js' }] as const;
export const mendCart = ['edit_file', { path: 'src/cart.js', old_string: 'sum - price', new_string: 'sum + price' }] as const;

/** A write of the to-do list. */
export function lists(items: Readonly<Record<string, string>>): readonly ['todo_write', object] {
  return ['todo_write', { todos: Object.entries(items).map(([content, status]) => ({ content, status })) }];
}
