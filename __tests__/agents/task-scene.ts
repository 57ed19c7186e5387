// The task tool in the real registry, over sub-agents that a test lets run and end as it likes.
import { type BackgroundWork, createBackgroundWork } from '../../src/agents/background-work.ts';
import { builtInAgents } from '../../src/agents/built-in.ts';
import type { AgentDefinition } from '../../src/agents/definition.ts';
import type { RunSubagent, SubagentRequest } from '../../src/agents/run-subagent.ts';
import { createTaskTool } from '../../src/agents/task-tool.ts';
import { noUsage, textOf } from '../../src/schema/message.ts';
import type { CallContext, RunContext } from '../../src/schema/model-call.ts';
import type { RunResult, SubagentUpdate } from '../../src/schema/run.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { ManualClock } from '../engine/ports.ts';
import { withinRun } from '../schema/within-run.ts';

/** A sub-agent that runs: the test ends it. */
export interface Child {
  readonly request: SubagentRequest;
  readonly context: CallContext;
  end(result?: Partial<RunResult>): void;
  fail(error: unknown): void;
}

export interface TaskScene {
  readonly tool: Tool;
  readonly background: BackgroundWork;
  readonly clock: ManualClock;
  /** Those that have begun, in that order. */
  readonly children: readonly Child[];
  readonly told: readonly SubagentUpdate[];
  readonly log: readonly string[];
  /** What a run hands down; each has its own ledger. */
  newRun(): RunContext;
  /** A call as the registry answers it. */
  call(args: object, options?: CallOptions): Promise<{ readonly text: string; readonly isError: boolean }>;
}

interface CallOptions {
  readonly id?: string;
  readonly name?: string;
  readonly signal?: AbortSignal;
  readonly run?: RunContext;
}

/** A result that completed with a report. */
export function resultOf(part: Partial<RunResult> = {}): RunResult {
  return { stopReason: 'completed', finalMessage: 'Found it.', turns: 2, usage: noUsage, durationMs: 5, ...part };
}

/** With `run`, sub-agents are that function's; else they wait for the test. */
export function setTaskScene(options: { agents?: readonly AgentDefinition[]; run?: RunSubagent } = {}): TaskScene {
  const children: Child[] = [];
  const told: SubagentUpdate[] = [];
  const log: string[] = [];
  const clock = new ManualClock();
  let marks = 0;
  const randomHex = (bytes: number): string => {
    marks += 1;
    return String(marks).padStart(bytes * 2, '0');
  };
  const background = createBackgroundWork({ randomHex });
  const waiting: RunSubagent = (request, context) =>
    new Promise((resolve, reject) => {
      children.push({ request, context, end: (result) => resolve(resultOf(result)), fail: reject });
    });
  const parts = { runSubagent: options.run ?? waiting, background, clock, log: (line: string) => void log.push(line) };
  const tool = defineTool(createTaskTool(options.agents ?? builtInAgents, parts));
  const registry = createRegistry();
  registry.register(tool);
  const newRun = (): RunContext => withinRun({ tell: (update) => told.push(update) });
  const ownRun = newRun();
  return {
    tool,
    background,
    clock,
    children,
    told,
    log,
    newRun,
    call: async (args, { id = 'c1', name = 'task', signal = new AbortController().signal, run = ownRun } = {}) => {
      const call = { id, name, arguments: JSON.stringify(args) };
      const { output, isError } = await registry.execute(call, { signal, run });
      return { text: textOf(output), isError };
    },
  };
}

export const explore = { agent: 'explorer', prompt: 'Where is it?' };
