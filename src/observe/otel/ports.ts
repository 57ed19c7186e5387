// The engine's ports that tracing stands around, by their shape. Types only.
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

export interface EngineObserver {
  onInteractionStart(context: RunContext, sessionId: string | undefined, prompt: string): RunContext;
  onInteractionEnd(context: RunContext, turns: number, error: unknown): void;
  onTurnStart(context: RunContext, turn: number): RunContext;
  onTurnEnd(context: RunContext, turn: number, hasToolCalls: boolean): void;
}
