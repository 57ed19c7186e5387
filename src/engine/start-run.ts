// A run from its beginning to its one result: builds it, loads what the session holds, lets the loop work, and reports the end.
import { type Message, textOf } from '../schema/message.ts';
import type { PlanMode } from '../schema/plan-mode.ts';
import type { RunResult } from '../schema/run.ts';
import { runScopeOf } from '../schema/run-scope.ts';
import { startSignals } from './abort.ts';
import { noStreaks } from './answer.ts';
import { beginContinuation } from './auto-continue.ts';
import { Background } from './background.ts';
import { expectedView } from './compaction.ts';
import { Denials } from './denials.ts';
import { cancelled, failed } from './ending.ts';
import type { Emit } from './events.ts';
import { History } from './history.ts';
import { Hooks } from './hooks.ts';
import { runLoop } from './loop.ts';
import { Meter } from './meter.ts';
import { createNotedCall, type NotedCall } from './noted-calls.ts';
import type { EngineSettings } from './options.ts';
import { withOutputForm } from './output-form.ts';
import { inToolsWords } from './own-calls.ts';
import { offeredTools } from './plan-mode.ts';
import type { Session, ToolRegistry } from './ports.ts';
import { noRepetition } from './repetition.ts';
import type { Ending, Progress, Run } from './run-state.ts';
import { takePlace } from './scope.ts';
import { type RestoreTodos, TodoList } from './todo-list.ts';
import { guardObserver } from './watchers.ts';

/** Everything a run begins with, checked. */
export interface Start {
  readonly settings: EngineSettings;
  readonly registry: ToolRegistry;
  readonly session: Session | undefined;
  readonly planMode: PlanMode;
  readonly restoreTodos: RestoreTodos;
  readonly signal: AbortSignal;
  readonly prompt: Message;
  readonly system: Message;
}

/** The whole of a run. Resolves for every end, after its last event. */
export async function startRun(start: Start, emit: Emit, generate: Run['generate']): Promise<RunResult> {
  const { settings, session } = start;
  const { maxTurns, toolTimeoutMs, maxConcurrentTools, clock, log } = settings;
  const notes = new Set<string>();
  const note = (text: string): void => void notes.add(text);
  const call = createNotedCall(clock, log, note);
  const run = createRun(start, call, { emit, generate, note });
  log(`state=started max_turns=${maxTurns} tool_timeout_ms=${toolTimeoutMs} max_concurrent=${maxConcurrentTools}`);
  const ending = await settle(run, start, call);
  await run.background.close();
  run.meter.release();
  await run.todos.keep((items) => emit({ type: 'todo_update', turn: run.progress.turns, data: items }));
  const denied = run.denials.note();
  if (denied !== undefined) note(denied);
  const result: RunResult = {
    stopReason: ending.stopReason,
    finalMessage: ending.finalMessage,
    ...(ending.ownWords === undefined ? {} : { ownWords: ending.ownWords }),
    turns: run.progress.turns,
    ...(run.progress.subagents.runs === 0 ? {} : { subagents: run.progress.subagents }),
    usage: run.scope.ledger.usage,
    ...run.meter.cost,
    durationMs: Math.round(clock.monotonicMs() - run.startedMs),
    ...(session === undefined ? {} : { sessionId: session.id }),
    ...(run.progress.model === undefined ? {} : { model: run.progress.model }),
    ...(run.progress.fallbacks.length === 0 ? {} : { fallbacks: run.progress.fallbacks }),
    ...(ending.structuredOutput === undefined ? {} : { structuredOutput: ending.structuredOutput }),
    ...(ending.budget === undefined ? {} : { budget: ending.budget }),
    ...(ending.error === undefined ? {} : { error: ending.error }),
    ...(notes.size === 0 ? {} : { notes: [...notes] }),
  };
  run.observer.onInteractionEnd(run.context, result.turns, ending.cause);
  log(`state=ended stop=${result.stopReason} turns=${result.turns} total_ms=${result.durationMs}`);
  emit({ type: result.stopReason === 'error' ? 'error' : 'done', turn: result.turns, data: result });
  return result;
}

function createRun(start: Start, call: NotedCall, outward: Pick<Run, 'emit' | 'generate' | 'note'>): Run {
  const { settings, session, registry, planMode, system, signal, prompt } = start;
  const { clock, log, todoStore: store, background: work, hooks } = settings;
  const { emit, note } = outward;
  const outputSchema = planMode === 'plan' ? undefined : settings.outputSchema;
  const progress = createProgress();
  const startedMs = clock.monotonicMs();
  const denials = new Denials(runScopeOf(settings.within)?.denied);
  const { limits, scope, lastScope } = takePlace(settings, startedMs, {
    spendInVain: (attempt, origin) => meter.spendInVain(attempt, origin),
    hasRoom: (origin) => meter.hasRoom(origin),
    tell: (update) => {
      if (update.state === 'ended') progress.subagents = withEnded(progress.subagents, update.turns);
      emit({ type: 'subagent_update', turn: progress.turns, data: update });
    },
    denied: (denial) => denials.add(denial),
  });
  const observer = guardObserver(settings.observer, log);
  const history = new History(session, call);
  const { estimateTokens: estimate, priceOf } = settings;
  const meter = new Meter({ estimate, ledger: scope.ledger, allowances: scope.allowances, priceOf });
  return {
    settings,
    limits,
    registry,
    planMode,
    outputSchema,
    system: outputSchema === undefined ? system : withOutputForm(system, outputSchema),
    ...outward,
    observer,
    context: observer.onInteractionStart(settings.within, session?.id, textOf(prompt.content)),
    scope,
    lastScope,
    history,
    hooks: new Hooks({ hooks, canonical: (toolCall) => inToolsWords(registry, toolCall), clock, log, note }),
    denials,
    background: new Background({ work, history, meter, call, log, note }),
    todos: new TodoList({ store, session, call, log }),
    meter,
    signals: startSignals(clock, signal, limits),
    startedMs,
    progress,
  };
}

function createProgress(): Progress {
  return {
    turns: 0,
    lastText: '',
    model: undefined,
    fallbacks: [],
    held: undefined,
    reminder: undefined,
    streaks: noStreaks,
    repetition: noRepetition,
    continuation: beginContinuation([]),
    view: undefined,
    isRetry: false,
    subagents: { runs: 0, turns: 0 },
  };
}

function withEnded({ runs, turns }: Progress['subagents'], more: number): Progress['subagents'] {
  return { runs: runs + 1, turns: turns + more };
}

/** Every end of a run as data; what nobody expected (a port that throws) too, since nothing done may be lost. */
async function settle(run: Run, start: Start, call: NotedCall): Promise<Ending> {
  try {
    if (run.signals.cancel.aborted) return await cancelled(run);
    await load(run, start, call);
    // Saved before the first call: a run that is killed in it still leaves the question.
    await run.history.append(start.prompt);
    return await runLoop(run);
  } catch (error) {
    return failed(run, error);
  } finally {
    run.signals.dispose();
  }
}

async function load(run: Run, { session, restoreTodos, prompt }: Start, call: NotedCall): Promise<void> {
  await run.history.load();
  await restoreTodos(session, call);
  run.todos.begin();
  run.progress.continuation = beginContinuation(run.todos.items);
  run.meter.expect([...expectedView(run), prompt], offeredTools(run.registry.getAvailableTools(), run.planMode));
}
