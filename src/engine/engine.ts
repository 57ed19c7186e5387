// The engine as its callers see it: checks what comes in, builds a run, ends it in exactly one result. The work is in loop.ts.
import { Harness9Error } from '../schema/error.ts';
import { type Message, type Part, textOf, textPart } from '../schema/message.ts';
import { requireNode24 } from '../schema/node-version.ts';
import type { EngineEvent, RunResult } from '../schema/run.ts';
import { startSignals } from './abort.ts';
import { noStreaks } from './answer.ts';
import { createBlockingEmitter, createStreamingEmitter } from './emitter.ts';
import { cancelled, failed } from './ending.ts';
import { createEmit, type Emit, EventStream } from './events.ts';
import { History, type Note } from './history.ts';
import { runLoop } from './loop.ts';
import { Meter } from './meter.ts';
import { guardObserver } from './observer.ts';
import { type EngineOptions, type EngineSettings, parseEngineOptions } from './options.ts';
import type { LLMProvider, Session, ToolRegistry } from './ports.ts';
import type { Ending, Run } from './run-state.ts';

export interface Engine {
  /** Resolves for every end of a run (`stopReason` says which); rejects only for a broken precondition. */
  run(prompt: string | readonly Part[], signal?: AbortSignal): Promise<RunResult>;
  /** The same run as events, begun by the first read. Throws for a broken precondition. Leaving the stream cancels the run. */
  runStream(prompt: string | readonly Part[], signal?: AbortSignal): AsyncIterable<EngineEvent>;
  /** From the next run on; undefined = no session. */
  setSession(session: Session | undefined): void;
}

/** An engine over a model and its tools. Throws a Harness9Error that names every bad option. */
export function createEngine(
  provider: LLMProvider,
  registry: ToolRegistry,
  workDir: string,
  options: EngineOptions = {},
): Engine {
  requireNode24();
  const settings = parseEngineOptions(workDir, options);
  let session = options.session;
  const prepare = (prefix: string, prompt: string | readonly Part[], signal: AbortSignal): Start => ({
    settings: { ...settings, log: (line) => settings.log(`${prefix} ${line}`) },
    registry,
    session,
    signal,
    prompt: parsePrompt(prompt),
    system: { role: 'system', content: [textPart(settings.promptBuilder.build())] },
  });
  return {
    async run(prompt, signal = new AbortController().signal) {
      const start = prepare('[engine]', prompt, signal);
      const emit = createEmit(start.settings.log, [settings.onEvent]);
      return await execute(start, emit, createBlockingEmitter(provider, settings.log));
    },
    runStream(prompt, signal = new AbortController().signal) {
      const left = new AbortController();
      const start = prepare('[engine-stream]', prompt, AbortSignal.any([signal, left.signal]));
      return new EventStream({
        start: async (push) => {
          const emit = createEmit(start.settings.log, [push, settings.onEvent]);
          await execute(start, emit, createStreamingEmitter(provider, emit));
        },
        cancel: () => left.abort(new Harness9Error({ code: 'STREAM_LEFT', message: 'The reader of the stream has left.' })),
      });
    },
    setSession(next) {
      session = next;
    },
  };
}

/** Everything a run begins with, checked. */
interface Start {
  readonly settings: EngineSettings;
  readonly registry: ToolRegistry;
  readonly session: Session | undefined;
  readonly signal: AbortSignal;
  readonly prompt: Message;
  readonly system: Message;
}

function parsePrompt(prompt: string | readonly Part[]): Message {
  const content = typeof prompt === 'string' ? [textPart(prompt)] : prompt;
  const says = content.some((part) => part.type !== 'text' || part.text.trim() !== '');
  if (says) return { role: 'user', content };
  throw new Harness9Error({ code: 'ENGINE_EMPTY_PROMPT', message: 'The prompt is empty.', hint: 'Say what is to be done.' });
}

async function execute(start: Start, emit: Emit, generate: Run['generate']): Promise<RunResult> {
  const notes: string[] = [];
  const run = createRun(start, emit, generate, (text) => {
    if (!notes.includes(text)) notes.push(text);
  });
  const { settings, progress } = run;
  const { maxTurns, toolTimeoutMs, maxConcurrentTools } = settings;
  settings.log(`state=started max_turns=${maxTurns} tool_timeout_ms=${toolTimeoutMs} max_concurrent=${maxConcurrentTools}`);
  const ending = await settle(run, start.prompt);
  const result: RunResult = {
    stopReason: ending.stopReason,
    finalMessage: ending.finalMessage,
    ...(ending.ownWords === undefined ? {} : { ownWords: ending.ownWords }),
    turns: progress.turns,
    usage: run.meter.usage,
    durationMs: settings.clock.monotonicMs() - run.startedMs,
    ...(start.session === undefined ? {} : { sessionId: start.session.id }),
    ...(progress.model === undefined ? {} : { model: progress.model }),
    ...(ending.error === undefined ? {} : { error: ending.error }),
    ...(notes.length === 0 ? {} : { notes }),
  };
  run.observer.onInteractionEnd(run.context, result.turns, ending.cause);
  settings.log(`state=ended stop=${result.stopReason} turns=${result.turns} total_ms=${Math.round(result.durationMs)}`);
  emit({ type: result.stopReason === 'error' ? 'error' : 'done', turn: result.turns, data: result });
  return result;
}

function createRun(start: Start, emit: Emit, generate: Run['generate'], note: Note): Run {
  const { settings, session, registry, system } = start;
  const { timeoutMs, wrapUpReserveMs, maxTurns, maxTokensTotal, clock, log } = settings;
  const limits = { maxTurns, maxTokensTotal, timeoutMs, workMs: timeoutMs - wrapUpReserveMs };
  const observer = guardObserver(settings.observer, log);
  return {
    settings,
    limits,
    registry,
    system,
    generate,
    emit,
    observer,
    context: observer.onInteractionStart({}, session?.id, textOf(start.prompt.content)),
    history: new History({ session, clock, repair: settings.repairHistory, log, note }),
    meter: new Meter(settings.estimateTokens),
    signals: startSignals(clock, start.signal, limits),
    startedMs: clock.monotonicMs(),
    progress: { turns: 0, lastText: '', model: undefined, held: undefined, reminder: undefined, streaks: noStreaks },
  };
}

/** Every end of a run as data; what nobody expected (a port that throws) too, since nothing done may be lost. */
async function settle(run: Run, prompt: Message): Promise<Ending> {
  try {
    if (run.signals.cancel.aborted) return await cancelled(run);
    await run.history.load();
    run.meter.expect([run.system, ...run.history.messages, prompt], run.registry.getAvailableTools());
    // Saved before the first call: a run that is killed in it still leaves the question.
    await run.history.append(prompt);
    return await runLoop(run);
  } catch (error) {
    return failed(run, error);
  } finally {
    run.signals.dispose();
  }
}
