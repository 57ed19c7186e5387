// One sub-agent's run from its turn to its end: within what may run at once, told to whoever watches, logged. Its engine is the caller's.
import { hintOf, messageOf } from '../schema/error.ts';
import { noUsage } from '../schema/message.ts';
import type { CallContext } from '../schema/model-call.ts';
import { oneLine } from '../schema/one-line.ts';
import type { RunResult } from '../schema/run.ts';
import { runScopeOf } from '../schema/run-scope.ts';
import { createSlots } from '../schema/slots.ts';
import type { Clock, Log } from '../schema/world.ts';
import type { AgentDefinition } from './definition.ts';

/** Models run side by side and memory is one machine's: more would only wait for each other. */
const maxAtOnce = 8;

export interface SubagentRequest {
  readonly agent: AgentDefinition;
  readonly prompt: string;
  /** Of the `task` call. */
  readonly callId: string;
  readonly isBackground: boolean;
}

/** Runs a sub-agent to its end, whatever that is; rejects for a broken precondition. */
export type RunSubagent = (request: SubagentRequest, context: CallContext) => Promise<RunResult>;

export interface RunnerParts {
  readonly runSubagent: RunSubagent;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
}

/** `parts.runSubagent`, but it never rejects: what could not be begun ends by an error, or cancelled when the signal was why. */
export function createSubagentRunner({ runSubagent, clock, log }: RunnerParts): RunSubagent {
  const slots = createSlots(maxAtOnce);
  const asResult = async (context: CallContext, work: () => Promise<RunResult>): Promise<RunResult> => {
    const startedMs = clock.monotonicMs();
    try {
      return await work();
    } catch (error) {
      return endOf(error, context.signal, clock.monotonicMs() - startedMs);
    }
  };
  return (request, context) =>
    asResult(context, () =>
      slots(async () => {
        const { agent, callId, isBackground } = request;
        const who = { callId, agent: agent.name, isBackground };
        const tell = runScopeOf(context.run)?.tell;
        const line = (rest: string): void => log(`[task] agent=${agent.name} id=${callId} ${rest}`);
        tell?.({ ...who, state: 'started' });
        line('state=started');
        const result = await asResult(context, () => runSubagent(request, context));
        const { stopReason, turns, usage, durationMs } = result;
        tell?.({ ...who, state: 'ended', stopReason, turns, usage, durationMs });
        line(
          `state=ended stop=${stopReason} turns=${turns} tokens=${tokensOf(result)} ms=${Math.round(durationMs)}${causeOf(result)}`,
        );
        return result;
      }, context.signal),
    );
}

/** Of its run and of what ran within it. */
export function tokensOf({ usage }: RunResult): number {
  return usage.inputTokens + usage.outputTokens;
}

function causeOf({ error }: RunResult): string {
  return error === undefined ? '' : ` error=${oneLine(error.message, 300)}`;
}

function endOf(error: unknown, signal: AbortSignal, durationMs: number): RunResult {
  const hint = hintOf(error);
  return {
    stopReason: signal.aborted ? 'cancelled' : 'error',
    finalMessage: '',
    turns: 0,
    usage: noUsage,
    durationMs,
    error: { code: 'SUBAGENT_FAILED', message: messageOf(error), ...(hint === undefined ? {} : { hint }) },
  };
}
