// The tools that run in our own process (to-do list, skills), and the one registry that has them beside those of the tool host.
import type { TodoStore, ToolRegistry } from '../engine/ports.ts';
import { isOpen } from '../engine/todo-list.ts';
import { createTodoStore } from '../planning/todo-store.ts';
import { createTodoWriteTool } from '../planning/todo-write.ts';
import { errorResult } from '../schema/message.ts';
import type { TodoItem } from '../schema/todo.ts';
import { createUseSkillTool } from '../skills/use-skill.ts';
import { findDefinition } from '../tools/canonical-call.ts';
import { createRegistry, describeUnknownTool } from '../tools/registry.ts';
import { defineTool, type Tool } from '../tools/tool.ts';
import type { Guidance } from './guidance.ts';

/** The list is the engine's to show and to save. */
export interface MainTools {
  readonly tools: readonly Tool[];
  readonly todoStore: TodoStore;
}

/**
 * todo_write, use_skill where there are skills, and `more` that the run's mode brings. A conversation's list comes back to a run that
 * `goesOn` with what was begun, and only while something on it is open: to any other request it would be somebody else's list, which the
 * run is held to and people have to look at.
 */
export function composeMainTools(
  { skills, readSkill }: Pick<Guidance, 'skills' | 'readSkill'>,
  goesOn = true,
  more: readonly Tool[] = [],
): MainTools {
  const list = createTodoStore();
  const todoStore = { ...list, restore: (items: readonly TodoItem[]) => list.restore(goesOn && items.some(isOpen) ? items : []) };
  const useSkill = skills.length === 0 ? [] : [defineTool(createUseSkillTool(skills, { read: readSkill }))];
  return { tools: [defineTool(createTodoWriteTool(todoStore)), ...useSkill, ...more], todoStore };
}

/** `host` with `tools` added, sorted by name as ever. */
export function withMainTools(host: ToolRegistry, tools: readonly Tool[]): ToolRegistry {
  const main = createRegistry();
  for (const tool of tools) main.register(tool);
  const all = () => [...host.getAvailableTools(), ...main.getAvailableTools()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    getAvailableTools: all,
    execute: async (call, context) => {
      const owner = [main, host].find((each) => findDefinition(call.name, each.getAvailableTools()) !== undefined);
      return (await owner?.execute(call, context)) ?? errorResult(call, describeUnknownTool(call.name, all()));
    },
  };
}
