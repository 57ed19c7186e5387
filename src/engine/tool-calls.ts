// Runs the tool calls of one turn: concurrency, order, limits in time. Whatever a tool does, every call gets its one result.
import { messageOf } from '../schema/error.ts';
import {
  argumentsOf,
  errorResult,
  type Message,
  type Part,
  type TextPart,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
  textPart,
} from '../schema/message.ts';
import { createSlots } from '../schema/slots.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import type { Clock } from '../schema/world.ts';
import { startTimer } from './abort.ts';
import type { Admit, Admitted } from './admission.ts';
import type { CallContext, ToolRegistry } from './ports.ts';

/** A tool that was told to stop may still answer for itself (bash: what it printed so far) for as long as this. */
const lastWordMs = 5000;

export const interruptedText = 'interrupted: the run was stopped before this call had a result; its effects may be incomplete';

/** What the calls of one turn run with. `maxConcurrent` and `timeoutMs`: 0 = no limit. */
export interface ToolRun {
  readonly registry: ToolRegistry;
  readonly definitions: readonly ToolDefinition[];
  readonly maxConcurrent: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly context: CallContext;
  /** Asked before the call's time begins; what it forbids is answered without being run. */
  readonly admit: Admit;
  /** The result of a call that was run, as the model is to see it. Never rejects; ends on abort; its time is not the tool's. */
  readonly conclude: (call: ToolCall, result: ToolResult) => Promise<ToolResult>;
  readonly onStart: (call: ToolCall) => void;
  readonly onDone: (call: ToolCall, result: ToolResult, durationMs: number) => void;
}

/**
 * One result for each call, in the order of the calls; never rejects. Calls run together, but those that write or execute wait for
 * the one of their kind before them. On abort the open calls are answered as interrupted, at once; those not begun have no events.
 */
export async function runToolCalls(calls: readonly ToolCall[], run: ToolRun): Promise<readonly ToolResult[]> {
  const slots = createSlots(run.maxConcurrent);
  let lane: Promise<unknown> = Promise.resolve();
  const results = calls.map((call) => {
    const definition = run.definitions.find((tool) => tool.name === call.name);
    const begin = async (): Promise<ToolResult> => {
      const admitted = await run.admit(call);
      return await slots(() => runOne(admitted, definition, run));
    };
    if (definition?.effect === 'read') return begin();
    const result = lane.then(begin);
    lane = result;
    return result;
  });
  return await Promise.all(results);
}

async function runOne(admitted: Admitted, definition: ToolDefinition | undefined, run: ToolRun): Promise<ToolResult> {
  const { call, denial, remark } = admitted;
  if (run.context.signal.aborted) return errorResult(call, interruptedText);
  const startedMs = run.clock.monotonicMs();
  run.onStart(call);
  const result = denial === undefined ? await executeInTime(call, definition, run) : errorResult(call, denial);
  const durationMs = run.clock.monotonicMs() - startedMs;
  const told = forModel(denial === undefined ? await run.conclude(call, result) : result, remark);
  run.onDone(call, told, durationMs);
  return told;
}

/** With words, and with what must be said before them. */
function forModel(result: ToolResult, remark: string | undefined): ToolResult {
  const output = withWords(result.output);
  if (remark === undefined) return { ...result, output };
  const [first, ...rest] = output;
  return {
    ...result,
    output: first?.type === 'text' ? [textPart(`${remark}\n${first.text}`), ...rest] : [textPart(remark), ...output],
  };
}

async function executeInTime(call: ToolCall, definition: ToolDefinition | undefined, run: ToolRun): Promise<ToolResult> {
  const limitMs = toolLimitMs(call, definition, run.timeoutMs);
  const done = new AbortController();
  const timeout = limitMs === 0 ? undefined : startTimer(run.clock, limitMs, done.signal);
  const signal = timeout === undefined ? run.context.signal : AbortSignal.any([run.context.signal, timeout]);
  try {
    const work = execute(call, run, signal);
    const inTime = timeout === undefined ? work : firstOf(work, timeout, run.clock, done.signal);
    const result = await untilAborted(inTime, run.context.signal);
    return result ?? errorResult(call, timeoutText(call, definition, limitMs));
  } catch (error) {
    if (run.context.signal.aborted) return errorResult(call, interruptedText);
    return errorResult(call, `${call.name} failed: ${messageOf(error)}`);
  } finally {
    done.abort();
  }
}

async function execute(call: ToolCall, run: ToolRun, signal: AbortSignal): Promise<ToolResult> {
  const result = await run.registry.execute(call, { signal, run: run.context.run });
  const { output, isError, exit } = result;
  return { toolCallId: call.id, output: withWords(output), isError, ...(exit === undefined ? {} : { exit }) };
}

/** The result, or undefined when the time is over and the tool had no last word either. */
async function firstOf(
  work: Promise<ToolResult>,
  timeout: AbortSignal,
  clock: Clock,
  done: AbortSignal,
): Promise<ToolResult | undefined> {
  try {
    return await untilAborted(work, timeout);
  } catch (error) {
    if (!timeout.aborted) throw error;
  }
  const ownWord = work.catch(() => undefined);
  const patience = clock.sleep(lastWordMs, done).then(
    () => undefined,
    () => undefined,
  );
  return await Promise.race([ownWord, patience]);
}

/** What the call asks for within what its tool allows, else the tool's own limit, else the engine's. 0 = none. */
export function toolLimitMs(call: ToolCall, definition: ToolDefinition | undefined, defaultMs: number): number {
  const ownMs = definition?.timeoutMs ?? defaultMs;
  const maxMs = definition?.maxTimeoutMs;
  const askedSecs = maxMs === undefined ? undefined : askedTimeoutSecs(call);
  if (maxMs === undefined || askedSecs === undefined) return ownMs;
  return Math.min(Math.ceil(askedSecs * 1000), maxMs);
}

function askedTimeoutSecs(call: ToolCall): number | undefined {
  const value = argumentsOf(call)?.timeout_secs;
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function timeoutText(call: ToolCall, definition: ToolDefinition | undefined, limitMs: number): string {
  const maxMs = definition?.maxTimeoutMs ?? 0;
  const more = maxMs > limitMs ? `, or ask for more time with timeout_secs (at most ${maxMs / 1000})` : '';
  return `${call.name} did not finish within ${limitMs / 1000} s and was stopped. Make the call smaller${more}.`;
}

/** The result as the model sees it in the next turn (spec §4.5). */
export function observationOf(result: ToolResult): Message {
  return { role: 'user', content: result.output, toolCallId: result.toolCallId, isError: result.isError };
}

/** Servers refuse an observation without words. */
function withWords(parts: readonly Part[]): readonly Part[] {
  const isEmpty = parts.every((part): part is TextPart => part.type === 'text' && part.text.trim() === '');
  return isEmpty ? [textPart('(no output)')] : parts;
}
