// One turn: one model call and what it leads to (tool results, another try, an end). Limits and their wrap-up are not its matter.
import { messageOf } from '../schema/error.ts';
import { type Message, type ToolCall, type ToolDefinition, type ToolResult, textOf, textPart } from '../schema/message.ts';
import { untilAborted } from './abort.ts';
import { cutCallText, noStreaks, type Reading, readAnswer } from './answer.ts';
import type { ModelOutcome } from './emitter.ts';
import { cancelled, failed, keepTextSoFar } from './ending.ts';
import { askModel } from './model-call.ts';
import type { CallContext } from './ports.ts';
import type { Ending, Run } from './run-state.ts';
import { errorResult, observationOf, runToolCalls, type ToolRun } from './tool-calls.ts';

/** What a turn is done with: its number, what it hands down, the tools it offers, and the one way to ask the model. */
interface TurnInput {
  readonly turn: number;
  readonly context: CallContext;
  readonly tools: readonly ToolDefinition[];
  readonly ask: (toolChoice: 'auto' | 'none', reminder: string | undefined) => Promise<ModelOutcome>;
}

/** Undefined: the run goes on. `calls` is for the observer and the log. */
interface TurnOutcome {
  readonly ending: Ending | undefined;
  readonly calls: number;
}

/** Tells the observer and the log about a turn's begin and its end, whatever happens in between; it counts once it asks the model. */
export async function withTurn(
  run: Run,
  signal: AbortSignal,
  body: (input: TurnInput) => Promise<TurnOutcome>,
): Promise<Ending | undefined> {
  const { clock, log } = run.settings;
  const turn = run.progress.turns + 1;
  const runContext = run.observer.onTurnStart(run.context, turn);
  const startedMs = clock.monotonicMs();
  const context = { signal, run: runContext };
  const tools = run.registry.getAvailableTools();
  let calls = 0;
  let llmMs = 0;
  const ask: TurnInput['ask'] = async (toolChoice, reminder) => {
    const askedMs = clock.monotonicMs();
    const outcome = await askModel(run, { turn, context, tools, toolChoice, reminder });
    llmMs = clock.monotonicMs() - askedMs;
    return outcome;
  };
  try {
    const outcome = await body({ turn, context, tools, ask });
    calls = outcome.calls;
    const toolsMs = Math.round(clock.monotonicMs() - startedMs - llmMs);
    const { length } = run.history.messages;
    log(`turn=${turn} tools=${calls} llm_ms=${Math.round(llmMs)} tools_ms=${toolsMs} history=${length}`);
    return outcome.ending;
  } finally {
    run.observer.onTurnEnd(runContext, turn, calls > 0);
  }
}

/** An ordinary turn. */
export async function takeTurn(run: Run): Promise<Ending | undefined> {
  return await withTurn(run, run.signals.work, async (input) => {
    const outcome = await input.ask('auto', run.progress.reminder);
    if (outcome.kind === 'failed') return { ending: await afterFailure(run, outcome), calls: 0 };
    const { held, streaks } = run.progress;
    const reading = readAnswer(run.history.withOwnIds(outcome.message), held, streaks);
    run.progress.held = undefined;
    run.progress.reminder = undefined;
    const calls = reading.kind === 'act' ? (reading.message.toolCalls ?? []) : [];
    return { ending: await follow(run, input, reading), calls: calls.length };
  });
}

async function follow(run: Run, input: TurnInput, reading: Reading): Promise<Ending | undefined> {
  switch (reading.kind) {
    case 'act':
      return await act(run, input, reading);
    case 'again':
      run.progress.held = reading.held;
      run.progress.reminder = reading.reminder;
      run.progress.streaks = reading.streaks;
      return undefined;
    case 'final':
      return await completeOrGoOn(run, input, reading);
  }
}

/** Runs the calls and appends them together with their results, so that a killed run leaves no call without an answer. */
async function act(run: Run, input: TurnInput, reading: Reading & { kind: 'act' }): Promise<Ending | undefined> {
  const { message, cutIds } = reading;
  const calls = message.toolCalls ?? [];
  run.progress.streaks = reading.streaks;
  run.progress.lastText = textOf(message.content) || run.progress.lastText;
  const whole = calls.filter((call) => !cutIds.has(call.id));
  const results = await runToolCalls(whole, toolRun(run, input));
  const resultOf = (call: ToolCall): ToolResult =>
    results.find((result) => result.toolCallId === call.id) ?? errorResult(call, cutCallText);
  const observations = calls.map((call) => observationOf(resultOf(call)));
  run.meter.expect(observations);
  await run.history.append(message, ...observations);
  return run.signals.cancel.aborted ? await cancelled(run) : undefined;
}

function toolRun(run: Run, { turn, tools, context }: TurnInput): ToolRun {
  const { maxConcurrentTools, toolTimeoutMs, clock, log } = run.settings;
  return {
    registry: run.registry,
    definitions: tools,
    maxConcurrent: maxConcurrentTools,
    timeoutMs: toolTimeoutMs,
    clock,
    context,
    onStart: (call) => {
      log(`tool=${call.name} id=${call.id} state=started`);
      run.emit({ type: 'tool_start', turn, data: call });
    },
    onDone: (call, result, durationMs) => {
      log(`tool=${call.name} id=${call.id} state=${result.isError ? 'failed' : 'done'} ms=${Math.round(durationMs)}`);
      run.emit({ type: 'tool_result', turn, data: { result, durationMs } });
    },
  };
}

/** The model ended its turn: the follow-up may send it on, else the run is complete. */
async function completeOrGoOn(run: Run, input: TurnInput, reading: Reading & { kind: 'final' }): Promise<Ending | undefined> {
  const { message, text, error } = reading;
  run.progress.lastText = text;
  const next = error === undefined ? await askFollowUp(run, input, text) : undefined;
  const answer = message === undefined || textOf(message.content).trim() === '' ? [] : [message];
  if (next === undefined) {
    await run.history.append(...answer);
    const stopReason = error?.code === 'MODEL_OUTPUT_LIMIT' ? 'error' : 'completed';
    return error === undefined ? { stopReason, finalMessage: text } : { stopReason, finalMessage: text, error, cause: error };
  }
  const prompt: Message = { role: 'user', content: [textPart(next)] };
  run.progress.streaks = noStreaks;
  run.meter.expect([prompt]);
  await run.history.append(...answer, prompt);
  return undefined;
}

/** A follow-up that fails, or is waited for when the run must stop, is none: the answer stands. */
async function askFollowUp(run: Run, { turn, context }: TurnInput, finalMessage: string): Promise<string | undefined> {
  try {
    return await untilAborted(run.settings.followUp({ turn, finalMessage }), context.signal);
  } catch (error) {
    if (!context.signal.aborted) run.settings.log(`warning=follow_up_failed error=${messageOf(error)}`);
    return undefined;
  }
}

/** Cancelled, out of time (the loop's next look at the limits wraps up), or a provider that failed for good. */
async function afterFailure(run: Run, outcome: ModelOutcome & { kind: 'failed' }): Promise<Ending | undefined> {
  if (run.signals.work.aborted && !run.signals.cancel.aborted) return undefined;
  if (run.signals.cancel.aborted) return await cancelled(run, outcome.textSoFar);
  await keepTextSoFar(run, outcome.textSoFar);
  return failed(run, outcome.error);
}
