// A registry whose searches leave out what the rules keep from being read: a search is let through by where it begins. Decides no call.
import type { ToolRegistry } from '../engine/ports.ts';
import { argumentsOf, type ToolCall } from '../schema/message.ts';

export type SearchTool = 'glob' | 'grep';

/** `registry`, with the patterns of `hiddenFrom` added to what each search is to leave out. */
export function hideFiles(registry: ToolRegistry, hiddenFrom: (tool: SearchTool) => readonly string[]): ToolRegistry {
  const hidden = { glob: hiddenFrom('glob'), grep: hiddenFrom('grep') };
  if (hidden.glob.length + hidden.grep.length === 0) return registry;
  const canonical = registry.canonicalCall?.bind(registry) ?? ((call) => call);
  return {
    getAvailableTools: () => registry.getAvailableTools(),
    canonicalCall: canonical,
    execute: (call, context) => registry.execute(withHidden(canonical(call), hidden), context),
  };
}

function withHidden(call: ToolCall, hidden: Readonly<Record<SearchTool, readonly string[]>>): ToolCall {
  if (call.name !== 'glob' && call.name !== 'grep') return call;
  const given = argumentsOf(call);
  const { exclude = [] } = given ?? {};
  // What cannot be read is refused by the tool.
  if (given === undefined || !Array.isArray(exclude)) return call;
  return { ...call, arguments: JSON.stringify({ ...given, exclude: [...exclude, ...hidden[call.name]] }) };
}
