// One call of a model as data: what is asked, what comes back, what is handed down with it. Source: spec §5.1; DESIGN.md, The engine.
import type { Message, ToolDefinition, Usage } from './message.ts';

/** What an observer hands down to model calls and tools (a parent span…); everybody in between only carries it. */
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
  /** What the final message must fit (JSON Schema). A provider asks its server to see to it where that can be done; it checks nothing. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

export interface ModelResponse {
  readonly message: Message;
  readonly usage: Usage | undefined;
  /** The models that were asked before the one that answered, and why each could not. */
  readonly insteadOf?: readonly ModelFailure[];
  /** What people should know of how the call was made, as sentences. */
  readonly notes?: readonly string[];
}

/** A model that could not serve a call. `why` is for people, a clause. */
export interface ModelFailure {
  readonly model: string;
  readonly why: string;
}
