// A run in either mode with everything around it recorded: what is said of `run` must be true of `runStream`.
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import type { ToolRegistry } from '../../src/engine/ports.ts';
import type { EngineEvent, RunResult } from '../../src/schema/run.ts';
import { ManualClock, registryOf, type TestTool, Todos } from './ports.ts';
import { lastTextOf, ScriptedModel, type Step } from './scripted-model.ts';

export type Mode = 'run' | 'runStream';
export const modes: readonly Mode[] = ['run', 'runStream'];

export interface Scene {
  readonly engine: Engine;
  readonly model: ScriptedModel;
  readonly registry: ToolRegistry;
  readonly todos: Todos;
  readonly clock: ManualClock;
  readonly events: EngineEvent[];
  readonly log: string[];
  /** The tools that ran, in the order of their beginning. */
  readonly ran: string[];
  play(prompt?: string, signal?: AbortSignal): Promise<RunResult>;
}

/** `look` reads, `write_file` writes, `bash` executes, `todo_write` writes the list of `todos`; all say what they did. */
export function setScene(
  mode: Mode,
  steps: readonly Step[],
  { tools = {}, ...options }: EngineOptions & { readonly tools?: Readonly<Record<string, TestTool>> } = {},
): Scene {
  const model = new ScriptedModel(steps);
  const todos = new Todos();
  const clock = new ManualClock();
  const events: EngineEvent[] = [];
  const log: string[] = [];
  const ran: string[] = [];
  const tool = (effect: 'read' | 'write' | 'execute'): TestTool => ({
    effect,
    run: ({ id, name }) => {
      ran.push(id);
      return `${name} ${id} done`;
    },
  });
  const registry = registryOf({
    bash: tool('execute'),
    look: tool('read'),
    todo_write: todos.tool,
    write_file: tool('write'),
    ...tools,
  });
  const engine = createEngine(model, registry, '/w', {
    clock,
    onEvent: (event) => events.push(event),
    log: (line) => log.push(line),
    ...options,
  });
  const play = (prompt = 'go', signal?: AbortSignal) => playIn(mode, engine, prompt, signal);
  return { engine, model, registry, todos, clock, events, log, ran, play };
}

/** A run in that mode to its result; a stream's is its last event's. */
export async function playIn(mode: Mode, engine: Engine, prompt: string, signal?: AbortSignal): Promise<RunResult> {
  if (mode === 'run') return await engine.run(prompt, signal);
  let last: EngineEvent | undefined;
  for await (const event of engine.runStream(prompt, signal)) last = event;
  if (last?.type !== 'done' && last?.type !== 'error') throw new Error(`the stream ended with ${last?.type}`);
  return last.data;
}

/** An event in a few letters: its type, and what tells it from others of its type. */
export function inShort(event: EngineEvent): string {
  switch (event.type) {
    case 'token_update':
      return `${event.turn} ${event.data.kind}`;
    case 'tool_start':
      return `${event.turn} start ${event.data.id}`;
    case 'tool_result':
      return `${event.turn} result ${event.data.result.toolCallId}${event.data.result.isError ? '!' : ''}`;
    case 'approval_required':
      return `${event.turn} approval ${event.data.call.id}`;
    case 'todo_update':
      return `${event.turn} todos ${event.data.map(({ id, status }) => `${id}:${status}`).join(' ')}`;
    case 'action_delta':
    case 'thinking_delta':
      return `${event.turn} ${event.type} ${event.data}`;
    case 'done':
    case 'error':
      return `${event.turn} ${event.type} ${event.data.stopReason}`;
    default:
      return `${event.turn} ${event.type}`;
  }
}

/** The events without what only a stream has, so that one list holds for both modes. */
export function story(events: readonly EngineEvent[]): readonly string[] {
  return events.filter(({ type }) => type !== 'action_delta' && type !== 'thinking_delta').map(inShort);
}

/** What stands outgoing-only at the end of each request, as texts. */
export function tails(model: ScriptedModel): readonly (readonly string[])[] {
  return model.requests.map((request) =>
    request.messages.slice(request.tailStart).map((message) => lastTextOf({ ...request, messages: [message] })),
  );
}
