// How far a run may act without asking. Source: spec §5.5 (WithPlanMode), §9 (PlanModeAutoEdit).
import { z } from 'zod';
import type { ToolCall } from './message.ts';

/**
 * `default`: every tool runs. `plan`: only tools that read, the result is a plan. `auto_edit`: each edit is confirmed, step by step, as the
 * specification has it. `accept_edits`: edits run, commands are confirmed. What nobody confirms is denied.
 */
export const planModeSchema = z.enum(['default', 'plan', 'auto_edit', 'accept_edits']);
export type PlanMode = z.infer<typeof planModeSchema>;

/** What a person is asked before a call runs; `reason` names the rule that asks. */
export interface ApprovalRequest {
  readonly call: ToolCall;
  readonly reason: string;
}

/** The answer. `feedback` goes to the model with a denial. */
export interface Approval {
  readonly isAllowed: boolean;
  readonly feedback?: string;
}
