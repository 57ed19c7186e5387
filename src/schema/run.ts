// The run: how it ended and what it says to whoever watches. Source: spec §3.3, §6.1; ends and wrap-up: DESIGN.md.
import { z } from 'zod';
import { type Cost, costSchema } from './cost.ts';
import type { ToolCall, ToolResult } from './message.ts';
import { type Usage, usageSchema } from './message.ts';
import type { ApprovalRequest } from './plan-mode.ts';
import type { TodoItem } from './todo.ts';

export const stopReasonSchema = z.enum(['completed', 'max_turns', 'timeout', 'budget', 'repetition', 'cancelled', 'error']);
export type StopReason = z.infer<typeof stopReasonSchema>;

export const runErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  /** What a command that failed printed: lines, a few KB, of more the beginning and the end. */
  detail: z.string().optional(),
});
export type RunError = Readonly<z.infer<typeof runErrorSchema>>;

/** Another model took over: `why` the one before could not serve, a clause for people. */
const fallbackSchema = z.object({ from: z.string(), to: z.string(), why: z.string() });
export type Fallback = Readonly<z.infer<typeof fallbackSchema>>;

/**
 * What a run resolves with, whatever its end: nothing done may be lost. `turns` counts its own model calls, `usage` those of the runs within
 * it (sub-agents) as well. Durations in ms.
 */
export const runResultSchema = z.object({
  stopReason: stopReasonSchema,
  finalMessage: z.string(),
  /** What the model itself said last, where `finalMessage` ends in words of ours because it was interrupted. */
  ownWords: z.string().optional(),
  turns: z.number().int(),
  /** The sub-agents' runs that ended within this one, and their model calls; absent: there were none. */
  subagents: z.object({ runs: z.number().int(), turns: z.number().int() }).optional(),
  usage: usageSchema,
  /** What was used up, where a budget ended the run. */
  budget: z.enum(['tokens', 'usd']).optional(),
  /** Absent: nobody knows prices here. */
  cost: costSchema.optional(),
  durationMs: z.number(),
  sessionId: z.string().optional(),
  model: z.string().optional(),
  /** Each time that another model took over; absent: the first one answered every call. */
  fallbacks: z.array(fallbackSchema).readonly().optional(),
  /** The final message as JSON, where one was asked for and it fits the schema. */
  structuredOutput: z.unknown().optional(),
  error: runErrorSchema.optional(),
  /** Who said `stop` on the thread; only of a run that was cancelled. */
  stoppedBy: z.string().optional(),
  /** What people should know though it did not end the run (a session that could not be saved…). */
  notes: z.array(z.string()).readonly().optional(),
});
export type RunResult = Readonly<z.infer<typeof runResultSchema>>;

/** Whether the run came to its end, and nothing went wrong at it. */
export function isFinished({ stopReason, error }: Pick<RunResult, 'stopReason' | 'error'>): boolean {
  return stopReason === 'completed' && error === undefined;
}

/** Semantic events of a run (spec §3.3), the same in both modes; exactly one `done` or `error` ends them. Turns count from 1. */
export type EngineEvent = { readonly turn: number } & (
  | { readonly type: 'action_delta'; readonly data: string }
  | { readonly type: 'thinking_delta'; readonly data: string }
  | { readonly type: 'reset' }
  | { readonly type: 'tool_start'; readonly data: ToolCall }
  | { readonly type: 'tool_result'; readonly data: { readonly result: ToolResult; readonly durationMs: number } }
  | { readonly type: 'token_update'; readonly data: TokenUpdate }
  | { readonly type: 'compaction'; readonly data: CompactionRecord }
  /** The to-do list as it stands after a turn in which it changed; the whole list. */
  | { readonly type: 'todo_update'; readonly data: readonly TodoItem[] }
  | { readonly type: 'approval_required'; readonly data: ApprovalRequest }
  /** A sub-agent begins or ends; what it does in between are events of its own run. */
  | { readonly type: 'subagent_update'; readonly data: SubagentUpdate }
  | { readonly type: 'done'; readonly data: RunResult }
  | { readonly type: 'error'; readonly data: RunResult }
);

/** A sub-agent's run begins or ends. `callId`: of the `task` call that began it. Durations in ms. */
export type SubagentUpdate = { readonly callId: string; readonly agent: string; readonly isBackground: boolean } & (
  | { readonly state: 'started' }
  | {
      readonly state: 'ended';
      readonly stopReason: StopReason;
      readonly turns: number;
      readonly usage: Usage;
      readonly durationMs: number;
    }
);

/** `estimated` before a model call, `actual` after it when the provider reported usage. Tokens of the whole request. */
export interface TokenUpdate {
  readonly kind: 'estimated' | 'actual';
  readonly tokens: number;
  readonly contextWindow: number;
  /** Of the run so far, of those within it too; absent: nobody knows prices here. */
  readonly cost?: Cost | undefined;
}

/** What a compaction did to the outgoing view. */
export interface CompactionRecord {
  readonly strategy: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
}
