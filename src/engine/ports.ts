// The interfaces that the engine consumes; whoever implements one matches it by shape, the compiler checks it in compose/.
import type { Compacted, CompactionInput } from '../schema/compaction.ts';
import type {
  PostToolUse,
  PostToolUseAnswer,
  PreToolUse,
  PreToolUseAnswer,
  Stop,
  StopAnswer,
  TurnComplete,
  TurnCompleteAnswer,
} from '../schema/hook.ts';
import type { Message, ToolCall, ToolDefinition, ToolResult } from '../schema/message.ts';
import type { CallContext, ModelRequest, ModelResponse, RunContext } from '../schema/model-call.ts';
import type { PermissionDecision } from '../schema/permission.ts';
import type { Approval, ApprovalRequest } from '../schema/plan-mode.ts';
import type { Checkpoint } from '../schema/session.ts';
import type { StreamChunk } from '../schema/stream.ts';
import type { TodoItem } from '../schema/todo.ts';

/** The data that goes through these interfaces, so that one page has all that an embedder implements. */
export type { CallContext, Compacted, CompactionInput, ModelRequest, ModelResponse, RunContext };

/**
 * A model (spec §5.1). `generate` rejects with a ProviderError; `generateStream` never throws for a failed call but ends in exactly one
 * `done` or `error`. On abort both reject with the signal's reason.
 */
export interface LLMProvider {
  generate(request: ModelRequest, context: CallContext): Promise<ModelResponse>;
  generateStream(request: ModelRequest, context: CallContext): AsyncIterable<StreamChunk>;
}

/** Tools by name (spec §5.4). `execute` answers every call: an unknown tool, bad arguments and a failure are results with `isError`. */
export interface ToolRegistry {
  getAvailableTools(): readonly ToolDefinition[];
  /**
   * The call in its tool's own words, where the model used other ones that are known to mean them: by these it is judged, timed and run.
   * Absent: calls are taken by the words that they have.
   */
  canonicalCall?(call: ToolCall): ToolCall;
  execute(call: ToolCall, context: CallContext): Promise<ToolResult>;
}

/**
 * A thread's history. `getMessages(0)` is all of it, `getMessages(n)` the last n in order. Never holds the system prompt. A session that
 * lacks one of the optional functions keeps no todo list, or no checkpoint, beyond the run.
 */
export interface Session {
  readonly id: string;
  getMessages(limit: number): Promise<readonly Message[]>;
  addMessages(messages: readonly Message[]): Promise<void>;
  getTodos?(): Promise<readonly TodoItem[]>;
  /** Replaces the list. */
  saveTodos?(items: readonly TodoItem[]): Promise<void>;
  getCheckpoint?(): Promise<Checkpoint | undefined>;
  saveCheckpoint?(checkpoint: Checkpoint): Promise<void>;
}

/** Makes the outgoing view smaller; the history is not touched. Cuts between whole exchanges only. Called before every model call. */
export interface Compactor {
  compact(input: CompactionInput, context: CallContext): Promise<Compacted>;
}

/**
 * The to-do list as the engine sees it: shown at the end of each request, saved with the session, gone on with until it is done. After a
 * turn in which the list changed the engine emits `todo_update` (schema/run.ts) with the whole list. It is of one conversation at a time:
 * runs of one engine that overlap share it.
 */
export interface TodoStore {
  getItems(): readonly TodoItem[];
  /** Sets the list without counting as a write of the model: what the session kept. */
  restore(items: readonly TodoItem[]): void;
}

/** Every `everyTurns` turns `text` stands at the end of the request, outgoing only; 0 = never (spec §5.5, WithMemoryNudge). */
export interface MemoryNudge {
  readonly everyTurns: number;
  readonly text: string;
}

/** Asks a person whether a call may run. The time it takes is not the tool's. Absent: nobody answers, and the call is denied. */
export type Approve = (request: ApprovalRequest, context: CallContext) => Promise<Approval>;

/**
 * The rules for calls (spec §9, PermissionChecker). Asked after the hooks, about the call that would run. What it denies is denied; what it
 * asks about is asked unless a hook allows it; what it allows runs where a plan mode would ask, but not where one denies. One that fails denies.
 */
export interface PermissionChecker {
  check(call: ToolCall, tool: ToolDefinition | undefined, context: CallContext): Promise<PermissionDecision>;
}

/**
 * Stands around the calls, the turns and the end of a run (spec §9, hooks). Several are asked in order, `postToolUse` in reverse; the first
 * `deny` and the first message of a `stop` end the asking. A `preToolUse` that fails or takes longer than `timeoutMs` (default 60,000; 0 = no
 * limit) denies the call; any other that does changes nothing and leaves a note.
 */
export interface Hook {
  readonly name: string;
  readonly timeoutMs?: number | undefined;
  preToolUse?(event: PreToolUse, context: CallContext): Promise<PreToolUseAnswer | undefined>;
  postToolUse?(event: PostToolUse, context: CallContext): Promise<PostToolUseAnswer | undefined>;
  turnComplete?(event: TurnComplete, context: CallContext): Promise<TurnCompleteAnswer | undefined> | Promise<void>;
  stop?(event: Stop, context: CallContext): Promise<StopAnswer | undefined>;
}

/** What a piece of work came to: `text` for the model, `note` for people where it came too late for the model. */
export interface EndedWork {
  readonly text: string;
  readonly note: string;
}

/**
 * Work that goes on beside the turns (sub-agents in the background). The run does not end before it: a model that is done waits for it, and
 * what it came to is a message that the model answers. It is of one run at a time, as the to-do list is.
 */
export interface BackgroundWork {
  /** What has ended since this was called last, each once. Called before each model call. */
  takeEnded(): readonly EndedWork[];
  /** Resolves when nothing runs any more; rejects on abort with the signal's reason. */
  waitForAll(signal: AbortSignal): Promise<void>;
  /** Stops what still runs, and resolves when it has ended: `takeEnded` has it then. */
  stop(): Promise<void>;
}

/** What a final message is as a value, or what is wrong with it, a clause each. */
export type OutputCheck = { readonly value: unknown } | { readonly problems: readonly string[] };

/** The form of the final message. The schema goes to the model; whether an answer fits it is what `check` says, and nothing else. */
export interface OutputSchema {
  readonly schema: Readonly<Record<string, unknown>>;
  check(text: string): OutputCheck;
}

/** Builds the system prompt, once a run. */
export interface PromptBuilder {
  build(): string;
}

/** Four lifecycle callbacks (spec §6.1). A start returns the context that everything below it receives. They must not throw. */
export interface EngineObserver {
  onInteractionStart(context: RunContext, sessionId: string | undefined, prompt: string): RunContext;
  onInteractionEnd(context: RunContext, turns: number, error: unknown): void;
  onTurnStart(context: RunContext, turn: number): RunContext;
  onTurnEnd(context: RunContext, turn: number, hasToolCalls: boolean): void;
}

/** Asked when the model ended its turn without a call: a message that sends it on, or undefined to let the run end. */
export type FollowUp = (state: { readonly turn: number; readonly finalMessage: string }) => Promise<string | undefined>;

/** Tokens of a request, estimated. */
export type TokenEstimate = (messages: readonly Message[], tools: readonly ToolDefinition[]) => number;
