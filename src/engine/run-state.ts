// One run while it lasts: its parts, and the little that changes from turn to turn. Built by engine.ts, driven by loop.ts.
import type { Message } from '../schema/message.ts';
import type { RunResult, StopReason } from '../schema/run.ts';
import type { RunSignals } from './abort.ts';
import type { Held, Streaks } from './answer.ts';
import type { Generate } from './emitter.ts';
import type { Emit } from './events.ts';
import type { Limits } from './guard.ts';
import type { History } from './history.ts';
import type { Meter } from './meter.ts';
import type { EngineSettings } from './options.ts';
import type { EngineObserver, RunContext, ToolRegistry } from './ports.ts';

export interface Run {
  readonly settings: EngineSettings;
  readonly limits: Limits;
  readonly registry: ToolRegistry;
  readonly system: Message;
  readonly history: History;
  readonly meter: Meter;
  readonly signals: RunSignals;
  readonly generate: Generate;
  readonly emit: Emit;
  readonly observer: EngineObserver;
  readonly context: RunContext;
  readonly startedMs: number;
  readonly progress: Progress;
}

/** `lastText`: the newest text of the model in this run. `held`, `reminder`: for the next request only. */
export interface Progress {
  turns: number;
  lastText: string;
  model: string | undefined;
  held: Held | undefined;
  reminder: string | undefined;
  streaks: Streaks;
}

/** How a run ends; `cause` is what an observer gets to see. */
export interface Ending {
  readonly stopReason: StopReason;
  readonly finalMessage: string;
  readonly ownWords?: string;
  readonly error?: RunResult['error'];
  readonly cause?: unknown;
}
