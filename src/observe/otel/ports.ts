// The engine's ports that tracing stands around, by their shape. Types only.
import type {
  PostToolUse,
  PostToolUseAnswer,
  PreToolUse,
  PreToolUseAnswer,
  Stop,
  StopAnswer,
  TurnComplete,
  TurnCompleteAnswer,
} from '../../schema/hook.ts';
import type { ToolCall, ToolDefinition, ToolResult } from '../../schema/message.ts';
import type { CallContext, ModelRequest, ModelResponse, RunContext } from '../../schema/model-call.ts';
import type { StreamChunk } from '../../schema/stream.ts';

export interface LLMProvider {
  generate(request: ModelRequest, context: CallContext): Promise<ModelResponse>;
  generateStream(request: ModelRequest, context: CallContext): AsyncIterable<StreamChunk>;
}

export interface ToolRegistry {
  getAvailableTools(): readonly ToolDefinition[];
  canonicalCall?(call: ToolCall): ToolCall;
  execute(call: ToolCall, context: CallContext): Promise<ToolResult>;
}

export interface Hook {
  readonly name: string;
  readonly timeoutMs?: number | undefined;
  preToolUse?(event: PreToolUse, context: CallContext): Promise<PreToolUseAnswer | undefined>;
  postToolUse?(event: PostToolUse, context: CallContext): Promise<PostToolUseAnswer | undefined>;
  turnComplete?(event: TurnComplete, context: CallContext): Promise<TurnCompleteAnswer | undefined> | Promise<void>;
  stop?(event: Stop, context: CallContext): Promise<StopAnswer | undefined>;
}

export interface EngineObserver {
  onInteractionStart(context: RunContext, sessionId: string | undefined, prompt: string): RunContext;
  onInteractionEnd(context: RunContext, turns: number, error: unknown): void;
  onTurnStart(context: RunContext, turn: number): RunContext;
  onTurnEnd(context: RunContext, turn: number, hasToolCalls: boolean): void;
}
