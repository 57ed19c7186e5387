// The calls of a message as this run has them: an id that no other one has, the words of the tool that is meant. Runs and judges none.
import type { Message, ToolCall } from '../schema/message.ts';
import type { ToolRegistry } from './ports.ts';

/** The message with each of its calls as `change` leaves it; the same object when it changes none. */
export function withCalls(message: Message, change: (call: ToolCall) => ToolCall): Message {
  const calls = message.toolCalls ?? [];
  const changed = calls.map(change);
  return changed.every((call, index) => call === calls[index]) ? message : { ...message, toolCalls: changed };
}

/** The call with an id that is not in `taken`, which has it from then on: providers refuse a history that has one twice, or an empty one. */
export function withFreeId(call: ToolCall, taken: Set<string>): ToolCall {
  const wanted = call.id === '' ? 'call' : call.id;
  let id = wanted;
  for (let count = 2; taken.has(id); count += 1) id = `${wanted}_${count}`;
  taken.add(id);
  return id === call.id ? call : { ...call, id };
}

/** The call in its tool's own words, where the registry knows them. The id stays: its result is known by it. */
export function inToolsWords(registry: ToolRegistry, call: ToolCall): ToolCall {
  const own = registry.canonicalCall?.(call) ?? call;
  return own.id === call.id ? own : { ...own, id: call.id };
}
