// Tool definitions to Chat Completions: the schema whole, the order as given (a prompt cache depends on it).
import type { ChatCompletionFunctionTool } from 'openai/resources/chat/completions';
import type { ToolDefinition } from '../../schema/message.ts';

/** One function per tool. */
export function convertTools(tools: readonly ToolDefinition[]): ChatCompletionFunctionTool[] {
  return tools.map((tool) => ({
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: { ...tool.inputSchema } },
  }));
}
