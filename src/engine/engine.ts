// The engine as its callers see it: checks what comes in and starts runs, whole or as a stream. The work begins in start-run.ts.
import { Harness9Error } from '../schema/error.ts';
import type { Part } from '../schema/message.ts';
import { requireNode24 } from '../schema/node-version.ts';
import type { PlanMode } from '../schema/plan-mode.ts';
import type { EngineEvent, RunResult } from '../schema/run.ts';
import { createBlockingEmitter, createStreamingEmitter } from './emitter.ts';
import { createEmit, EventStream } from './events.ts';
import { type EngineOptions, parseEngineOptions, requireOption } from './options.ts';
import type { LLMProvider, Session, ToolRegistry } from './ports.ts';
import { buildSystemPrompt, parsePrompt, parseSignal } from './preconditions.ts';
import { withRetry } from './retry.ts';
import { type Start, startRun } from './start-run.ts';
import { createTodoRestore } from './todo-list.ts';

export interface Engine {
  /** Resolves for every end of a run (`stopReason` says which); rejects only for a broken precondition. */
  run(prompt: string | readonly Part[], signal?: AbortSignal): Promise<RunResult>;
  /** The same run as events, begun by the first read. Throws for a broken precondition. Leaving the stream cancels the run. */
  runStream(prompt: string | readonly Part[], signal?: AbortSignal): AsyncIterable<EngineEvent>;
  /** From the next run on; undefined = no session. Throws a Harness9Error for what is none. */
  setSession(session: Session | undefined): void;
  /** From the next run on. Throws a Harness9Error for an unknown mode. */
  setPlanMode(mode: PlanMode): void;
}

/** An engine over a model and its tools. Throws a Harness9Error that names everything that is bad: a port, the directory, an option. */
export function createEngine(
  provider: LLMProvider,
  registry: ToolRegistry,
  workDir: string,
  options: EngineOptions = {},
): Engine {
  requireNode24();
  const settings = parseEngineOptions({ provider, registry, workDir }, options);
  const model = withRetry(provider, settings);
  const restoreTodos = createTodoRestore(settings.todoStore);
  let { session } = options;
  let { planMode } = settings;
  const prepare = (prefix: string, prompt: string | readonly Part[], signal: AbortSignal): Start => ({
    settings: { ...settings, log: (line) => settings.log(`${prefix} ${line}`) },
    registry,
    session,
    planMode,
    restoreTodos,
    signal,
    prompt: parsePrompt(prompt),
    system: buildSystemPrompt(settings.promptBuilder),
  });
  return {
    async run(prompt, signal) {
      const start = prepare('[engine]', prompt, parseSignal(signal));
      const emit = createEmit(start.settings.log, [settings.onEvent]);
      return await startRun(start, emit, createBlockingEmitter(model, settings.log));
    },
    runStream(prompt, signal) {
      const left = new AbortController();
      const start = prepare('[engine-stream]', prompt, AbortSignal.any([parseSignal(signal), left.signal]));
      return new EventStream({
        start: async (push) => {
          const emit = createEmit(start.settings.log, [push, settings.onEvent]);
          await startRun(start, emit, createStreamingEmitter(model, emit));
        },
        cancel: () => left.abort(new Harness9Error({ code: 'STREAM_LEFT', message: 'The reader of the stream has left.' })),
      });
    },
    setSession(next) {
      if (next !== undefined) requireOption('session', next);
      session = next;
    },
    setPlanMode(mode) {
      requireOption('planMode', mode);
      planMode = mode;
    },
  };
}
