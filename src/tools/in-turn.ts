// Tools that take turns: one reads, changes and writes before the next one begins. Knows no tool.
import { createQueue } from '../schema/queue.ts';
import type { Tool } from './tool.ts';
import { failure } from './tool.ts';

/** The tools, of whose calls one runs at a time, in the order in which they came. One that is cancelled while it waits does nothing. */
export function inTurn(tools: readonly Tool[]): readonly Tool[] {
  const queue = createQueue();
  return tools.map((tool) => ({
    definition: tool.definition,
    execute: (args, context) =>
      queue(() =>
        context.signal.aborted ? failure(`${tool.definition.name}: cancelled before it began.`) : tool.execute(args, context),
      ),
  }));
}
