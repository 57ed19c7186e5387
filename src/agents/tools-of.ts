// Which tools a sub-agent has: its parent's, narrowed by the names in its lists. What a pattern says of arguments is the permission rules' matter.
import type { ToolDefinition } from '../schema/message.ts';
import type { AgentDefinition } from './definition.ts';
import { isNamedBy, parsePattern, type ToolPattern } from './tool-patterns.ts';

/** Not a sub-agent's: it begins no others, and the to-do list is of one conversation, its parent's. */
const neverTools = ['task', 'todo_write'];

/** Of `parentTools` those that the agent may use, in their order. */
export function toolsOf(
  { tools, disallowedTools }: Pick<AgentDefinition, 'tools' | 'disallowedTools'>,
  parentTools: readonly ToolDefinition[],
): readonly ToolDefinition[] {
  const allowed = tools?.map(parsePattern);
  // A pattern with arguments takes some calls of the tool away, not the tool.
  const denied = disallowedTools.map(parsePattern).filter((pattern) => pattern?.argument === undefined);
  const isIn = (patterns: readonly (ToolPattern | undefined)[], tool: ToolDefinition): boolean =>
    patterns.some((pattern) => pattern !== undefined && isNamedBy(pattern.name, tool.name));
  return parentTools.filter(
    (tool) => !neverTools.includes(tool.name) && (allowed === undefined || isIn(allowed, tool)) && !isIn(denied, tool),
  );
}

/** The names in its lists that no tool has; `tools`: all that a run could have. A denial of such a name takes nothing away. */
export function unknownTools(
  { tools = [], disallowedTools }: Pick<AgentDefinition, 'tools' | 'disallowedTools'>,
  known: readonly Pick<ToolDefinition, 'name'>[],
): readonly string[] {
  const names = [...known.map(({ name }) => name), ...neverTools];
  const patterns = [...tools, ...disallowedTools].map(parsePattern).filter((pattern) => pattern !== undefined);
  const unknown = patterns.filter((pattern) => !names.some((name) => isNamedBy(pattern.name, name)));
  return [...new Set(unknown.map(({ name }) => name))];
}
