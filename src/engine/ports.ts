// The interfaces that the engine consumes; whoever implements one matches it by shape, the compiler checks it in compose/.
import type { Message, ToolCall, ToolDefinition, ToolResult, Usage } from '../schema/message.ts';
import type { CompactionRecord } from '../schema/run.ts';
import type { StreamChunk } from '../schema/stream.ts';

/** What an observer hands down to model calls and tools (a parent span…); the engine only carries it. */
export type RunContext = Readonly<Record<symbol, unknown>>;

export interface CallContext {
  readonly signal: AbortSignal;
  readonly run: RunContext;
}

/**
 * One model call. `messages[0]` is the system prompt. From `tailStart` on the messages are outgoing-only: they change from
 * turn to turn, so a cache breakpoint stands before them. `toolChoice: none` still sends the tools, for the cache's sake.
 */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: 'auto' | 'none';
  readonly tailStart: number;
}

export interface ModelResponse {
  readonly message: Message;
  readonly usage: Usage | undefined;
}

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
  execute(call: ToolCall, context: CallContext): Promise<ToolResult>;
}

/** A thread's history. `getMessages(0)` is all of it, `getMessages(n)` the last n in order. Never holds the system prompt. */
export interface Session {
  readonly id: string;
  getMessages(limit: number): Promise<readonly Message[]>;
  addMessages(messages: readonly Message[]): Promise<void>;
}

/** Makes the outgoing view smaller; the history is not touched. Cuts between whole exchanges only. */
export interface Compactor {
  compact(
    view: { readonly messages: readonly Message[]; readonly contextWindow: number; readonly lastUsage: Usage | undefined },
    context: CallContext,
  ): Promise<{ readonly messages: readonly Message[]; readonly record: CompactionRecord | undefined }>;
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

/** Messages for the end of the next request only (todo list, at most one reminder); never stored. */
export type OutgoingTail = (turn: number) => readonly Message[];

/** Tokens of a request, estimated. */
export type TokenEstimate = (messages: readonly Message[], tools: readonly ToolDefinition[]) => number;

/** Makes a history valid for every provider: each call answered once, in order, whatever was cut or lost. */
export type RepairHistory = (messages: readonly Message[]) => readonly Message[];
