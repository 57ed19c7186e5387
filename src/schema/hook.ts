// What hooks are told and what they answer, in code and as commands. Source: spec §9 (PreToolUse, PostToolUse, TurnComplete, Stop).
import type { ToolCall, ToolDefinition, ToolResult } from './message.ts';

/** A call before it runs, as the hooks before this one left it. `tool`: absent when no tool has the name. */
export interface PreToolUse {
  readonly turn: number;
  readonly call: ToolCall;
  readonly tool: ToolDefinition | undefined;
}

/**
 * `deny` ends it: `reason` goes to the model, nobody else is asked. `ask`: a person decides. `allow` stands for a person's yes, and lifts no
 * denial of a rule or a plan mode. Without a decision the hook has no opinion. `arguments` take the place of the call's own.
 */
export interface PreToolUseAnswer {
  readonly decision?: 'allow' | 'deny' | 'ask' | undefined;
  readonly reason?: string | undefined;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/** A call that was run, with its result as the hooks after this one left it. */
export interface PostToolUse {
  readonly turn: number;
  readonly call: ToolCall;
  readonly result: ToolResult;
}

/** What takes the place of the result for the model; what is left out stays as it was. */
export type PostToolUseAnswer = Partial<Pick<ToolResult, 'output' | 'isError'>>;

/** A turn whose results are in the history. `calls`: none when the model ended its turn with a text. */
export interface TurnComplete {
  readonly turn: number;
  readonly calls: readonly ToolCall[];
}

/** The model is done. `sentBack`: how often this hook has sent it back in this run. */
export interface Stop {
  readonly turn: number;
  readonly finalMessage: string;
  readonly sentBack: number;
}

/** `note`: for people; the notes of the run have it. */
export interface TurnCompleteAnswer {
  readonly note?: string | undefined;
}

/** `message` sends the model on; without one the run may end. `note`: for people; the notes of the run have it. */
export interface StopAnswer {
  readonly message?: string | undefined;
  readonly note?: string | undefined;
}
