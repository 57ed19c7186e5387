// Histories for the compaction tests: builders, and random ones with everything that a history may hold. The same seed, the same history.
import { type Message, type Part, type ToolCall, textPart } from '../../../src/schema/message.ts';
import { createRandom, type Random } from '../../tools/random.ts';

export const origin = { provider: 'anthropic', endpoint: 'https://api.example', model: 'm-1' };
export const system: Message = { role: 'system', content: [textPart('You are a careful engineer. Work in the workspace.')] };

export const user = (text: string): Message => ({ role: 'user', content: [textPart(text)] });
export const says = (text: string): Message => ({ role: 'assistant', content: [textPart(text)], origin });
export const call = (id: string, name: string, args: unknown): ToolCall => ({ id, name, arguments: JSON.stringify(args) });
export const asks = (...toolCalls: readonly ToolCall[]): Message => ({ role: 'assistant', content: [], toolCalls, origin });
export const result = (toolCallId: string, text: string, isError = false): Message => ({
  role: 'user',
  content: [textPart(text)],
  toolCallId,
  isError,
});

/** About so many tokens of prose, different for each `seed`. */
export function prose(tokens: number, seed = 1): string {
  const random = createRandom(seed);
  const words = ['the', 'total', 'of', 'cart', 'is', 'rounded', 'before', 'tax', 'when', 'a', 'price', 'has', 'more', 'digits'];
  return Array.from({ length: Math.ceil(tokens / 0.92) }, () => random.pick(words)).join(' ');
}

/** One tool turn: a call and its result of about `tokens`. */
export function turn(index: number, tokens: number): readonly Message[] {
  const id = `call_${index}`;
  return [asks(call(id, 'read_file', { path: `src/part-${index}.ts` })), result(id, prose(tokens, index))];
}

const image: Part = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' };
const thinking = (text: string): Part => ({
  type: 'opaque',
  origin,
  kind: 'thinking',
  value: { type: 'thinking', thinking: text, signature: 'c2ln' },
});

/** `huge`: how large its largest texts get, in tokens. `isSound`: whether every call has its result right behind it. */
export interface Taste {
  readonly exchanges: number;
  readonly huge: number;
  readonly isSound: boolean;
}

/** A random history, first task first. */
export function randomHistory(seed: number, taste: Taste): readonly Message[] {
  const random = createRandom(seed);
  const messages: Message[] = [user(`Fix bug ${seed}. ${prose(random.below(60), seed)} 请不要修改 secret.cfg 文件。`)];
  for (let index = 0; index < taste.exchanges; index += 1) messages.push(...randomExchange(random, index, taste));
  return messages;
}

function randomExchange(random: Random, index: number, taste: Taste): readonly Message[] {
  switch (random.below(8)) {
    case 0:
      return [user(`Comment ${index}: ${prose(random.below(80), index)}`)];
    case 1:
      return [says(`Answer ${index}: ${randomText(random, taste, index)}`)];
    case 2:
      return [{ role: 'user', content: [textPart(`Look at picture ${index}.`), image, image] }, says(`I see ${index}.`)];
    default:
      return randomCalls(random, index, taste);
  }
}

function randomCalls(random: Random, index: number, taste: Taste): readonly Message[] {
  const idOf = (at: number): string => (!taste.isSound && random.below(6) === 0 ? 'call_1' : `c${index}_${at}`);
  const calls = Array.from({ length: 1 + random.below(4) }, (_unused, at) => randomCall(random, idOf(at), taste));
  const said = random.below(2) === 0 ? [] : [textPart(`Step ${index}.`)];
  const thought = random.below(2) === 0 ? [] : [thinking(prose(random.below(60), index))];
  const asking: Message = { role: 'assistant', content: [...thought, ...said], toolCalls: calls, origin };
  const results = calls.map(({ id }) => randomResult(random, id, taste));
  return taste.isSound ? [asking, ...results] : [asking, ...disturbed(random, results, index)];
}

/** Lost, doubled, shuffled, a comment in between. */
function disturbed(random: Random, results: readonly Message[], index: number): readonly Message[] {
  const at = random.below(results.length + 1);
  switch (random.below(6)) {
    case 0:
      return results.slice(1);
    case 1:
      return [...results, ...results.slice(0, 1)];
    case 2:
      return results.toReversed();
    case 3:
      return [...results.slice(0, at), user(`Comment in between ${index}.`), ...results.slice(at)];
    case 4:
      return [...results.slice(0, at), says(`Meanwhile ${index}.`), ...results.slice(at)];
    default:
      return results;
  }
}

function randomCall(random: Random, id: string, taste: Taste): ToolCall {
  switch (random.below(5)) {
    case 0:
      return call(id, 'write_file', { path: `src/${id}.ts`, content: randomText(random, taste, random.below(1000)) });
    case 1:
      return call(id, 'bash', { command: `npm test -- ${id}`, timeout_secs: 10 });
    case 2:
      return { id, name: 'bash', arguments: '{"command":"cut of' };
    case 3:
      return call(id, 'todo_write', { todos: [{ id: '1', content: randomText(random, taste, 3), status: 'pending' }] });
    default:
      return call(id, 'read_file', { path: `src/${id}.ts` });
  }
}

function randomResult(random: Random, id: string, taste: Taste): Message {
  const isError = random.below(4) === 0;
  if (random.below(8) === 0) return { role: 'user', content: [], toolCallId: id, isError };
  if (random.below(10) === 0) return { role: 'user', content: [textPart('A picture:'), image], toolCallId: id, isError };
  return result(id, randomText(random, taste, random.below(1000)), isError);
}

function randomText(random: Random, { huge }: Taste, seed: number): string {
  switch (random.below(10)) {
    case 0:
      return prose(huge, seed);
    case 1:
      return '错误：无法读取配置文件。'.repeat(1 + random.below(20));
    case 2:
      return `{"value":"${'\\"\\n'.repeat(random.below(100))}","emoji":"${'😀'.repeat(random.below(50))}"}`;
    case 3:
      return '   \n';
    default:
      return prose(random.below(150), seed);
  }
}
