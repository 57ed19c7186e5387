// A registry with fewer tools: what is not offered is not run either. Decides nothing about single calls.
import type { ToolRegistry } from '../engine/ports.ts';
import type { ToolDefinition } from '../schema/message.ts';
import { errorResult } from '../schema/message.ts';
import { describeUnknownTool } from '../tools/registry.ts';

/** `registry` with those tools alone that `keep` leaves of the ones that there are. */
export function restrictRegistry(
  registry: ToolRegistry,
  keep: (tools: readonly ToolDefinition[]) => readonly ToolDefinition[],
): ToolRegistry {
  const tools = keep(registry.getAvailableTools());
  const names = new Set(tools.map(({ name }) => name));
  const canonical = registry.canonicalCall?.bind(registry) ?? ((call) => call);
  return {
    getAvailableTools: () => tools,
    canonicalCall: canonical,
    execute: async (call, context) =>
      names.has(canonical(call).name)
        ? await registry.execute(call, context)
        : errorResult(call, describeUnknownTool(call.name, tools)),
  };
}
