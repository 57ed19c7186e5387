// Tools whose calls are spans. Results and failures go through as they are.
import type { ToolCall, ToolResult } from '../../schema/message.ts';
import type { CallContext } from '../../schema/model-call.ts';
import { resultAttributes, resultErrorType, toolAttributes, toolName } from './attributes.ts';
import type { Content } from './content.ts';
import { errorTypeOf } from './error-type.ts';
import type { ToolRegistry } from './ports.ts';
import { openSpanOf, type Spans } from './spans.ts';

/** `registry` with a span around each call; what the call begins (a sub-agent's run) nests under it. */
export function traceRegistry(registry: ToolRegistry, spans: Spans, content: Content): ToolRegistry {
  return {
    getAvailableTools: () => registry.getAvailableTools(),
    ...(registry.canonicalCall && { canonicalCall: registry.canonicalCall.bind(registry) }),
    async execute(call, context) {
      const tool = beginTool(registry, spans, call, context);
      const end = (result: ToolResult | undefined, errorType: string | undefined): void => {
        const attributes = () => ({ ...(result === undefined ? {} : resultAttributes(result)), ...content.ofCall(call, result) });
        spans.end(tool, { attributes, errorType });
      };
      try {
        const result = await registry.execute(call, { ...context, run: tool.within(context.run) });
        end(result, resultErrorType(result));
        return result;
      } catch (error) {
        end(undefined, errorTypeOf(error));
        throw error;
      }
    },
  };
}

function beginTool(registry: ToolRegistry, spans: Spans, call: ToolCall, { run, signal }: CallContext) {
  const isKnown = registry.getAvailableTools().some(({ name }) => name === call.name);
  const turn = openSpanOf(run);
  if (turn !== undefined) turn.toolCalls += 1;
  const name = `execute_tool ${toolName(call, isKnown)}`;
  return spans.begin({ role: 'tool', name, run, attributes: toolAttributes(call, isKnown), signal });
}
