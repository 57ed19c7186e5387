// The tools as the sandbox needs them; the engine's registry port and the tools' registry match it by shape.
import type { ToolCall, ToolDefinition, ToolResult } from '../schema/message.ts';

export interface ToolRegistry {
  getAvailableTools(): readonly ToolDefinition[];
  execute(call: ToolCall, context: { readonly signal: AbortSignal }): Promise<ToolResult>;
}
