// Small real parts for the engine's tests: a registry of functions, a session in memory, a clock that is turned by hand, an observer.
import type { CallContext, EngineObserver, RunContext, Session, TodoStore, ToolRegistry } from '../../src/engine/ports.ts';
import { type Message, type ToolCall, type ToolDefinition, type ToolResult, textPart } from '../../src/schema/message.ts';
import type { Checkpoint } from '../../src/schema/session.ts';
import type { TodoItem, TodoStatus } from '../../src/schema/todo.ts';
import type { Clock } from '../../src/schema/world.ts';

export interface TestTool {
  readonly effect?: ToolDefinition['effect'];
  readonly timeoutMs?: number;
  readonly maxTimeoutMs?: number;
  readonly run: (call: ToolCall, context: CallContext) => Promise<string> | string;
}

/** A registry that lets its tools throw: the engine must stand that. */
export function registryOf(tools: Readonly<Record<string, TestTool>>): ToolRegistry {
  return {
    getAvailableTools: () =>
      Object.entries(tools).map(([name, { effect = 'read', timeoutMs, maxTimeoutMs }]) => ({
        name,
        description: name,
        inputSchema: { type: 'object' },
        place: 'main' as const,
        effect,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(maxTimeoutMs === undefined ? {} : { maxTimeoutMs }),
      })),
    execute: (call, context) => {
      const tool = tools[call.name];
      if (tool === undefined) return Promise.resolve(answer(call, `unknown tool ${call.name}`, true));
      const output = tool.run(call, context);
      return Promise.resolve(output).then((text) => answer(call, text, false));
    },
  };
}

function answer(call: ToolCall, text: string, isError: boolean): ToolResult {
  return { toolCallId: call.id, output: text === '' ? [] : [textPart(text)], isError };
}

export const echo: TestTool = { run: (call) => `ran ${call.id}` };

export class MemorySession implements Session {
  readonly id = 's1';
  readonly saves: Message[][] = [];
  failing = false;
  #messages: Message[];

  constructor(messages: readonly Message[] = []) {
    this.#messages = [...messages];
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  async getMessages(): Promise<readonly Message[]> {
    if (this.failing) throw new Error('disk gone');
    return this.#messages;
  }

  async addMessages(messages: readonly Message[]): Promise<void> {
    if (this.failing) throw new Error('disk full');
    this.saves.push([...messages]);
    this.#messages.push(...messages);
  }
}

/** A session that keeps a to-do list and a checkpoint as well; everything that is saved is written down. */
export class FullSession extends MemorySession {
  readonly savedTodos: (readonly TodoItem[])[] = [];
  readonly savedCheckpoints: Checkpoint[] = [];
  #todos: readonly TodoItem[];
  #checkpoint: Checkpoint | undefined;

  constructor(kept: { messages?: readonly Message[]; todos?: readonly TodoItem[]; checkpoint?: Checkpoint } = {}) {
    super(kept.messages);
    this.#todos = kept.todos ?? [];
    this.#checkpoint = kept.checkpoint;
  }

  async getTodos(): Promise<readonly TodoItem[]> {
    if (this.failing) throw new Error('disk gone');
    return this.#todos;
  }

  async saveTodos(items: readonly TodoItem[]): Promise<void> {
    if (this.failing) throw new Error('disk full');
    this.savedTodos.push(items);
    this.#todos = items;
  }

  async getCheckpoint(): Promise<Checkpoint | undefined> {
    if (this.failing) throw new Error('disk gone');
    return this.#checkpoint;
  }

  async saveCheckpoint(checkpoint: Checkpoint): Promise<void> {
    if (this.failing) throw new Error('disk full');
    this.savedCheckpoints.push(checkpoint);
    this.#checkpoint = checkpoint;
  }
}

/** A to-do list as the engine sees it, and the tool that writes it: the arguments' `todos` are the whole list. */
export class Todos implements TodoStore {
  items: readonly TodoItem[];

  constructor(items: readonly TodoItem[] = []) {
    this.items = items;
  }

  getItems(): readonly TodoItem[] {
    return this.items;
  }

  restore(items: readonly TodoItem[]): void {
    this.items = items;
  }

  readonly tool: TestTool = {
    run: (call) => {
      this.items = JSON.parse(call.arguments).todos;
      return 'noted';
    },
  };
}

/** `todo('a', 'pending')`: the item a, to be done. */
export function todo(id: string, status: TodoStatus = 'pending'): TodoItem {
  return { id, content: `do ${id}`, status };
}

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** Time stands still until `advance`. */
export class ManualClock implements Clock {
  #nowMs = 0;
  #sleepers: Sleeper[] = [];

  readonly now = (): Date => new Date(this.#nowMs);
  readonly monotonicMs = (): number => this.#nowMs;

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const sleeper = { atMs: this.#nowMs + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
        reject(signal.reason);
      });
    });

  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Moves the time and lets everything that it wakes run to its next stop. */
  async advance(ms: number): Promise<void> {
    this.#nowMs += ms;
    const due = this.#sleepers.filter((sleeper) => sleeper.atMs <= this.#nowMs);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.atMs > this.#nowMs);
    for (const sleeper of due) sleeper.wake();
    await settled();
  }
}

/** When nothing is left to do but to wait. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

const depth: unique symbol = Symbol('depth');

/** Writes down each callback with the context that it got. */
export class RecordingObserver implements EngineObserver {
  readonly calls: string[] = [];
  readonly errors: unknown[] = [];

  onInteractionStart(context: RunContext, sessionId: string | undefined, prompt: string): RunContext {
    this.calls.push(`start ${String(sessionId)} ${prompt}`);
    return { ...context, [depth]: 'interaction' };
  }

  onInteractionEnd(context: RunContext, turns: number, error: unknown): void {
    this.calls.push(`end ${turns} in ${depthOf(context)}`);
    this.errors.push(error);
  }

  onTurnStart(context: RunContext, turn: number): RunContext {
    this.calls.push(`turn ${turn} in ${depthOf(context)}`);
    return { ...context, [depth]: `turn ${turn}` };
  }

  onTurnEnd(context: RunContext, turn: number, hasToolCalls: boolean): void {
    this.calls.push(`turn ${turn} over in ${depthOf(context)}, calls: ${hasToolCalls}`);
  }
}

export function depthOf(context: RunContext): string {
  return String(context[depth]);
}
