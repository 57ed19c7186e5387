// One turn: one model call and what it leads to (tool results, another try, an end). Limits and their wrap-up are not its matter.
import { errorResult, type ToolCall, type ToolDefinition, type ToolResult, textOf } from '../schema/message.ts';
import type { ApprovalRequest } from '../schema/plan-mode.ts';
import { type Denial, withRunScope } from '../schema/run-scope.ts';
import { createAdmission } from './admission.ts';
import { cutCallText, type Reading, readAnswer, type Toolbox } from './answer.ts';
import { completeOrGoOn } from './completion.ts';
import { cancelled, failed, keepTextSoFar } from './ending.ts';
import { type Asked, askModel } from './model-call.ts';
import { chooseReminder, dropReminder } from './outgoing-tail.ts';
import { canRetry } from './overflow.ts';
import { inToolsWords, withCalls } from './own-calls.ts';
import { offeredTools } from './plan-mode.ts';
import type { CallContext } from './ports.ts';
import { noteTurn } from './repetition.ts';
import type { Ending, Run } from './run-state.ts';
import { observationOf, runToolCalls, type ToolRun } from './tool-calls.ts';

/** What a turn is done with: its number, what it hands down, the tools there are, and the one way to ask the model. */
interface TurnInput extends Toolbox {
  readonly turn: number;
  readonly context: CallContext;
  readonly ask: (toolChoice: 'auto' | 'none', reminder: string | undefined) => Promise<Asked>;
}

/** No ending: the run goes on. No calls: no answer of this turn is in the history; one that made none has an empty list. */
interface TurnOutcome {
  readonly ending: Ending | undefined;
  readonly calls: readonly ToolCall[] | undefined;
}

/** Tells everybody about a turn's begin and its end, whatever happens in between; it counts once it asks the model. */
export async function withTurn(
  run: Run,
  phase: 'work' | 'wrapUp',
  body: (input: TurnInput) => Promise<TurnOutcome>,
): Promise<Ending | undefined> {
  const { clock, log } = run.settings;
  const turn = run.progress.turns + 1;
  const runContext = run.observer.onTurnStart(run.context, turn);
  const startedMs = clock.monotonicMs();
  const scope = phase === 'work' ? run.scope : run.lastScope;
  const context = { signal: run.signals[phase], run: withRunScope(runContext, scope) };
  let calls: TurnOutcome['calls'];
  let llmMs = 0;
  try {
    const tools = run.registry.getAvailableTools();
    const offered = offeredTools(tools, run.planMode);
    const ask: TurnInput['ask'] = async (toolChoice, reminder) => {
      const askedMs = clock.monotonicMs();
      const outcome = await askModel(run, { turn, context, tools: offered, toolChoice, reminder });
      llmMs = clock.monotonicMs() - askedMs;
      return outcome;
    };
    const outcome = await body({ turn, context, tools, offered, ask });
    calls = outcome.calls;
    const toolsMs = Math.round(clock.monotonicMs() - startedMs - llmMs);
    const { length } = run.history.messages;
    log(`turn=${turn} tools=${calls?.length ?? 0} llm_ms=${Math.round(llmMs)} tools_ms=${toolsMs} history=${length}`);
    if (calls !== undefined) await run.hooks.turnComplete({ turn, calls }, context);
    return outcome.ending;
  } finally {
    run.observer.onTurnEnd(runContext, turn, (calls ?? []).length > 0);
  }
}

/** An ordinary turn. */
export async function takeTurn(run: Run): Promise<Ending | undefined> {
  return await withTurn(run, 'work', async (input) => {
    const reminder = chooseReminder(run, input.turn);
    const outcome = await input.ask('auto', reminder);
    if (outcome.kind === 'failed') return { ending: await afterFailure(run, input, outcome), calls: undefined };
    const { held, streaks } = run.progress;
    const reading = inOwnWords(run, readAnswer(run.history.withOwnIds(outcome.message), held, streaks, input));
    run.progress.held = undefined;
    dropReminder(run, reminder);
    return { ending: await follow(run, input, reading), calls: callsOf(reading) };
  });
}

function callsOf(reading: Reading): TurnOutcome['calls'] {
  if (reading.kind === 'again') return undefined;
  return reading.kind === 'act' ? (reading.message.toolCalls ?? []) : [];
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
  await run.todos.keep((items) => run.emit({ type: 'todo_update', turn: input.turn, data: items }));
  const pairs = whole.map((call) => ({ call, result: resultOf(call), effect: definitionOf(input, call)?.effect }));
  run.progress.repetition = noteTurn(run.progress.repetition, pairs, run.settings.maxRepeats);
  return run.signals.cancel.aborted ? await cancelled(run) : undefined;
}

/** From here on a call has the words of the tool that it means: whoever looks back at it need not know the others. */
function inOwnWords({ registry }: Run, reading: Reading): Reading {
  if (reading.kind !== 'act') return reading;
  return { ...reading, message: withCalls(reading.message, (call) => inToolsWords(registry, call)) };
}

function definitionOf({ tools }: TurnInput, call: ToolCall): ToolDefinition | undefined {
  return tools.find(({ name }) => name === call.name);
}

function toolRun(run: Run, { turn, tools, context }: TurnInput): ToolRun {
  const { planMode, hooks } = run;
  const { maxConcurrentTools, toolTimeoutMs, clock, log, permissions, approve } = run.settings;
  const onAsk = (request: ApprovalRequest): void => run.emit({ type: 'approval_required', turn, data: request });
  const onDenied = (denial: Denial): void => run.denials.add(denial);
  return {
    registry: run.registry,
    definitions: tools,
    maxConcurrent: maxConcurrentTools,
    timeoutMs: toolTimeoutMs,
    clock,
    context,
    admit: createAdmission({ turn, planMode, tools, hooks, permissions, approve, context, onAsk, onDenied, log }),
    conclude: (call, result) => hooks.postToolUse({ turn, call, result }, context),
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

/** Too long and worth a retry, cancelled, out of time (the loop's next look at the limits wraps up), or a provider that failed for good. */
async function afterFailure(run: Run, input: TurnInput, outcome: Asked & { kind: 'failed' }): Promise<Ending | undefined> {
  if (await canRetry(run, input, outcome)) return undefined;
  if (run.signals.work.aborted && !run.signals.cancel.aborted) {
    // The last reply stands alone.
    if (outcome.textSoFar !== '') run.emit({ type: 'reset', turn: input.turn });
    return undefined;
  }
  if (run.signals.cancel.aborted) return await cancelled(run, outcome.textSoFar);
  await keepTextSoFar(run, outcome.textSoFar);
  return failed(run, outcome.error);
}
