// What a Messages server may refuse and can be asked without: compatible servers and older models know less than the vendor's own API.
import { isRecord } from '../../schema/record.ts';
import type { Body, OptionalParameter } from '../refused-parameters.ts';

/** The order decides where a refusal names two of them at the same place. */
export const optionalParameters: readonly OptionalParameter[] = [
  { name: 'max_tokens', isLimit: true },
  { name: 'output_config.format', words: /structured output|output format|json_schema/i },
  { name: 'output_config.effort', values: ['low', 'medium', 'high', 'xhigh', 'max'], words: /\beffort\b/i },
  { name: 'thinking' },
  { name: 'cache_control', words: /prompt caching|cache[ _]?(control|point)/i, remove: withoutCacheMarks },
  { name: 'tool_choice' },
];

/** `body` without any breakpoint; the same object when it has none. */
function withoutCacheMarks(body: Body): Body {
  const clean = ['system', 'tools', 'messages']
    .map((name) => [name, unmarked(body[name])] as const)
    .filter(([name, value]) => value !== body[name]);
  // In its place: the order of the fields stays.
  return clean.length === 0 ? body : { ...body, ...Object.fromEntries(clean) };
}

/** Of a list of blocks, tools or messages with blocks. */
function unmarked(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const items = value.map((item: unknown) => {
    if (!isRecord(item)) return item;
    const { cache_control: mark, ...rest } = item;
    const content = item.role === undefined ? item.content : unmarked(item.content);
    if (mark === undefined && content === item.content) return item;
    return { ...rest, ...(content === undefined ? {} : { content }) };
  });
  return items.every((item, index) => item === value[index]) ? value : items;
}
