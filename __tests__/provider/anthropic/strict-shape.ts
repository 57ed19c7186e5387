// The form of a Messages request, field by field, as strict as the vendor's own check: what is not listed is refused.
import { z } from 'zod';

const mark = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() });
const marked = { cache_control: mark.optional() };
const id = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);
const anObject = z.record(z.string(), z.unknown());

/** White space at the end as the vendor's language sees it: five characters more. */
export function pythonTrimEnd(said: string): string {
  const more = '\u001c\u001d\u001e\u001f\u0085';
  let end = said.length;
  while (end > 0 && (said.charAt(end - 1).trim() === '' || more.includes(said.charAt(end - 1)))) end -= 1;
  return said.slice(0, end);
}

const text = z.strictObject({
  type: z.literal('text'),
  text: z.string().refine((said) => pythonTrimEnd(said) !== '', 'text content blocks must contain non-whitespace text'),
  citations: z.array(anObject).optional(),
  ...marked,
});
const image = z.strictObject({
  type: z.literal('image'),
  source: z.strictObject({
    type: z.literal('base64'),
    media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
    data: z.base64().min(1),
  }),
  ...marked,
});
const toolUse = z.strictObject({ type: z.literal('tool_use'), id, name, input: anObject, ...marked });
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: id,
  content: z.union([z.string().min(1), z.array(z.discriminatedUnion('type', [text, image])).min(1)]).optional(),
  is_error: z.boolean().optional(),
  ...marked,
});
/** No marks on these. */
const thinking = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().min(1) });
const redacted = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string().min(1) });
const serverCall = z.strictObject({ type: z.literal('server_tool_use'), id, name, input: anObject, ...marked });
const serverResult = z.strictObject({
  type: z.literal('web_search_tool_result'),
  tool_use_id: id,
  content: z.unknown(),
  ...marked,
});

const userBlock = z.discriminatedUnion('type', [text, image, toolResult]);
const assistantBlock = z.discriminatedUnion('type', [text, toolUse, thinking, redacted, serverCall, serverResult]);

const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: z.array(userBlock).min(1) }),
  z.strictObject({ role: z.literal('assistant'), content: z.array(assistantBlock).min(1) }),
]);
export type StrictMessage = z.infer<typeof messageSchema>;
export type StrictBlock = StrictMessage['content'][number];

const topLevel = ['anyOf', 'oneOf', 'allOf'];
const toolSchema = z.strictObject({
  name,
  description: z.string().optional(),
  input_schema: z
    .looseObject({ type: z.literal('object'), properties: anObject.optional(), required: z.array(z.string()).optional() })
    .refine(
      (schema) => topLevel.every((key) => !(key in schema)),
      'input_schema does not support oneOf, allOf, or anyOf at the top level',
    ),
  ...marked,
});

const thinkingSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('disabled') }),
  z.strictObject({ type: z.literal('adaptive'), display: z.enum(['summarized', 'omitted']).optional() }),
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
]);

const choiceSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal('any'), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal('tool'), name, disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal('none') }),
]);

export const requestSchema = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  stream: z.boolean().optional(),
  thinking: thinkingSchema.optional(),
  tools: z.array(toolSchema).optional(),
  system: z.array(text).min(1).optional(),
  messages: z.array(messageSchema).min(1),
  tool_choice: choiceSchema.optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
      format: z.strictObject({ type: z.literal('json_schema'), schema: anObject }).optional(),
    })
    .optional(),
});
export type StrictRequest = z.infer<typeof requestSchema>;
