// Tool definitions to the Messages API: the schema whole, `$defs` and all, the order as given (a prompt cache depends on it).
import type { Tool } from '@anthropic-ai/sdk/resources/messages';
import type { ToolDefinition } from '../../schema/message.ts';

/** One tool each. The API wants `type: object` at the top. */
export function convertTools(tools: readonly ToolDefinition[]): Tool[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: { ...tool.inputSchema, type: 'object' },
  }));
}
