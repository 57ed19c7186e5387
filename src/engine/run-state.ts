// One run while it lasts: its parts, and the little that changes from turn to turn. Built by start-run.ts, driven by loop.ts.
import type { Message } from '../schema/message.ts';
import type { PlanMode } from '../schema/plan-mode.ts';
import type { Fallback, RunResult, StopReason } from '../schema/run.ts';
import type { RunScope } from '../schema/run-scope.ts';
import type { RunSignals } from './abort.ts';
import type { Held, Streaks } from './answer.ts';
import type { Continuation } from './auto-continue.ts';
import type { Background } from './background.ts';
import type { Denials } from './denials.ts';
import type { Generate } from './emitter.ts';
import type { Emit } from './events.ts';
import type { Limits } from './guard.ts';
import type { History } from './history.ts';
import type { Hooks } from './hooks.ts';
import type { Meter } from './meter.ts';
import type { Note } from './noted-calls.ts';
import type { EngineSettings } from './options.ts';
import type { EngineObserver, OutputSchema, RunContext, ToolRegistry } from './ports.ts';
import type { RepetitionState } from './repetition.ts';
import type { TodoList } from './todo-list.ts';

export interface Run {
  readonly settings: EngineSettings;
  readonly limits: Limits;
  readonly registry: ToolRegistry;
  readonly planMode: PlanMode;
  /** None in the mode `plan`: a plan is for people. */
  readonly outputSchema: OutputSchema | undefined;
  readonly system: Message;
  readonly history: History;
  readonly hooks: Hooks;
  readonly denials: Denials;
  readonly background: Background;
  readonly todos: TodoList;
  readonly meter: Meter;
  readonly signals: RunSignals;
  readonly generate: Generate;
  readonly emit: Emit;
  readonly note: Note;
  readonly observer: EngineObserver;
  readonly context: RunContext;
  /** Handed down in every turn, over whatever the observer made of the context. */
  readonly scope: RunScope;
  /** In its place in the run's last call, which has more time. */
  readonly lastScope: RunScope;
  readonly startedMs: number;
  readonly progress: Progress;
}

/**
 * `lastText`: the newest text of the model in this run. `held`, `reminder`: for the next request only. `view`: what a compaction left of
 * the history, until a call has succeeded with it. `isRetry`: the last call was refused as too long, and the next one is its retry.
 */
export interface Progress {
  turns: number;
  lastText: string;
  model: string | undefined;
  fallbacks: readonly Fallback[];
  held: Held | undefined;
  reminder: string | undefined;
  streaks: Streaks;
  repetition: RepetitionState;
  continuation: Continuation;
  subagents: NonNullable<RunResult['subagents']>;
  view: CompactedView | undefined;
  isRetry: boolean;
}

/** What stands for the first `length` messages of the history, system prompt first. */
export interface CompactedView {
  readonly messages: readonly Message[];
  readonly length: number;
}

/** How a run ends; `cause` is what an observer gets to see. */
export interface Ending {
  readonly stopReason: StopReason;
  readonly finalMessage: string;
  readonly ownWords?: string;
  readonly budget?: RunResult['budget'];
  readonly structuredOutput?: unknown;
  readonly error?: RunResult['error'];
  readonly cause?: unknown;
}
