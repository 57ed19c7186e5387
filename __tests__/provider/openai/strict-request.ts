// What the vendor would refuse of a Chat Completions request, in its words as far as they are known: the form, the order, the pairs, the limits.
import { z } from 'zod';
import { parseJson } from '../../../src/schema/parse-json.ts';

/** What a server knows beyond the request: the model's limit, and what it said before. */
export interface Knowledge {
  readonly maxOutputTokens: number;
  /** The fields of reasoning that came with a call, by its id; ids that were said once only. */
  readonly reasoning: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

const nothing: Knowledge = { maxOutputTokens: 128_000, reasoning: new Map() };
/** The vendor's: 64 in names, 40 in ids, 128 tools, 500 pictures. */
const most = { tools: 128, id: 40, pictures: 500 };

const words = z.string().regex(/\S/, 'is blank');
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const id = z.string().min(1).max(most.id);
const objectSchema = z.looseObject({ type: z.literal('object') });
const textPart = z.strictObject({ type: z.literal('text'), text: words });
const imagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z.string().regex(/^(https:|data:image\/(png|jpeg|gif|webp);base64,[\w+/=]+$)/),
    detail: z.string().optional(),
  }),
});
const textContent = z.union([words, z.array(textPart).min(1)]);

const callSchema = z.strictObject({
  id,
  type: z.literal('function'),
  function: z.strictObject({ name, arguments: z.string() }),
  extra_content: z.unknown().optional(),
});

const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: textContent }),
  z.strictObject({ role: z.literal('user'), content: z.union([words, z.array(z.union([textPart, imagePart])).min(1)]) }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: id, content: textContent }),
  z.strictObject({
    role: z.literal('assistant'),
    // Said with null where there is nothing: some servers need the field, others no empty text (G2-38).
    content: z.union([words, z.null()]),
    tool_calls: z.array(callSchema).min(1).optional(),
    reasoning_content: z.string().min(1).optional(),
    reasoning: z.string().min(1).optional(),
    reasoning_details: z
      .array(z.looseObject({ type: z.string() }))
      .min(1)
      .optional(),
  }),
]);
export type StrictMessage = z.infer<typeof messageSchema>;

const limit = z.number().int().positive();

const requestSchema = z.strictObject({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({ name, description: z.string(), parameters: objectSchema, strict: z.boolean().optional() }),
      }),
    )
    .min(1)
    .max(most.tools)
    .optional(),
  tool_choice: z.enum(['none', 'auto', 'required']).optional(),
  max_tokens: limit.optional(),
  max_completion_tokens: limit.optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  response_format: z
    .strictObject({
      type: z.literal('json_schema'),
      json_schema: z.strictObject({ name, schema: objectSchema, strict: z.boolean().optional() }),
    })
    .optional(),
});
export type StrictRequest = z.infer<typeof requestSchema>;

/** The request, or why the vendor would refuse it. */
export function readRequest(body: unknown, known: Partial<Knowledge> = {}): StrictRequest | string {
  const knowledge = { ...nothing, ...known };
  if (hasHalfCharacter(body)) return 'We could not parse the JSON body of your request: half a character';
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  const request = parsed.data;
  return (
    refusedOptions(request, knowledge) ??
    refusedSchema(request) ??
    refusedPlaces(request.messages) ??
    refusedPairs(request.messages) ??
    refusedReasoning(request.messages, knowledge) ??
    request
  );
}

/** Throws when the vendor would refuse these messages for their form, or for calls and results that are no pairs; wherever they begin and end. */
export function checkMessages(messages: unknown): void {
  if (hasHalfCharacter(messages)) throw new Error('half a character');
  const refusal = refusedPairs(z.array(messageSchema).parse(messages));
  if (refusal !== undefined) throw new Error(refusal);
}

/** In what is sent, and in the JSON texts within it. */
function hasHalfCharacter(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed() || (value.startsWith('{') && hasHalfCharacter(parseJson(value)));
  return typeof value === 'object' && value !== null && Object.entries(value).flat().some(hasHalfCharacter);
}

function refusedOptions(request: StrictRequest, { maxOutputTokens }: Knowledge): string | undefined {
  const { tools = [], tool_choice: choice, stream, stream_options: options } = request;
  const limits = [request.max_tokens, request.max_completion_tokens].filter((one) => one !== undefined);
  if (limits.length > 1) return "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
  if (limits.some((one) => one > maxOutputTokens)) {
    return `max_tokens is too large: ${limits}. This model supports at most ${maxOutputTokens} completion tokens, whereas you provided ${limits}.`;
  }
  if (choice !== undefined && tools.length === 0) return "'tool_choice' is only allowed when 'tools' are specified.";
  if (options !== undefined && stream !== true) return "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
  const names = tools.map(({ function: { name: called } }) => called);
  if (new Set(names).size < names.length) return 'tools: names must be unique';
  const pictures = JSON.stringify(request.messages).split('"type":"image_url"').length - 1;
  return pictures > most.pictures ? `too many images: ${pictures}` : undefined;
}

function refusedSchema({ response_format: format }: StrictRequest): string | undefined {
  if (format?.json_schema.strict !== true || isClosed(format.json_schema.schema)) return undefined;
  return "Invalid schema for response_format: 'additionalProperties' is required to be false, and all properties to be 'required'";
}

function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed);
  if (typeof schema !== 'object' || schema === null) return true;
  const { type, properties, required, additionalProperties } = Object(schema);
  const names = Object.keys(properties ?? {});
  const isOpen = type === 'object' && (additionalProperties !== false || names.join() !== [required ?? []].flat().join());
  return !isOpen && Object.values(schema).every(isClosed);
}

function refusedPlaces(messages: readonly StrictMessage[]): string | undefined {
  const system = messages.findLastIndex(({ role }) => role === 'system');
  if (system > 0) return `messages.${system}: a system message inside`;
  const first = messages.find(({ role }) => role !== 'system');
  if (first?.role !== 'user') return `messages: the first is of role ${first?.role}`;
  const twice = messages.findIndex(({ role }, index) => role === 'assistant' && messages[index + 1]?.role === 'assistant');
  if (twice >= 0) return `messages.${twice}: two messages of the model in a row`;
  return messages.at(-1)?.role === 'assistant' ? 'messages: the last one is the model’s' : undefined;
}

function refusedPairs(messages: readonly StrictMessage[]): string | undefined {
  const seen = new Set<string>();
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const problem = message.role === 'tool' ? refusedResult(message, open) : refusedSaying(message, open, seen);
    if (problem !== undefined) return `messages.${index}: ${problem}`;
    open = message.role === 'tool' ? open.slice(1) : callsOf(message).map((call) => call.id);
  }
  return open.length > 0 ? `'tool_calls' must be followed by tool messages: ${open.join()} had none` : undefined;
}

function callsOf(message: StrictMessage): readonly z.infer<typeof callSchema>[] {
  return message.role === 'assistant' ? (message.tool_calls ?? []) : [];
}

function refusedResult(
  { tool_call_id: answered }: { readonly tool_call_id: string },
  open: readonly string[],
): string | undefined {
  if (answered === open[0]) return undefined;
  return `'tool' must be a response to a preceding message with 'tool_calls', in their order: ${answered}`;
}

function refusedSaying(message: StrictMessage, open: readonly string[], seen: Set<string>): string | undefined {
  if (open.length > 0) return `'tool_calls' must be followed by tool messages: ${open.join()} had none`;
  const calls = callsOf(message);
  if (message.content === null && calls.length === 0) return 'content or tool_calls must be set';
  return calls.map((call) => refusedCall(call, seen)).find((one) => one !== undefined);
}

function refusedCall(call: z.infer<typeof callSchema>, seen: Set<string>): string | undefined {
  if (seen.has(call.id)) return `the id ${call.id} is there twice`;
  seen.add(call.id);
  const parsed = parseJson(call.function.arguments);
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  return isObject ? undefined : `the arguments of ${call.id} are no JSON object: ${call.function.arguments}`;
}

const reasoningNames = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;

/** A message with calls has the reasoning that came with them, to the byte, and none that did not (G2-17). */
function refusedReasoning(messages: readonly StrictMessage[], { reasoning }: Knowledge): string | undefined {
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const known = message.tool_calls?.map((call) => reasoning.get(call.id)).find((one) => one !== undefined);
    if (known === undefined) continue;
    const odd = reasoningNames.find((field) => JSON.stringify(message[field]) !== JSON.stringify(known[field]));
    if (odd !== undefined) return `messages.${index}: the ${odd} in the thinking mode must be passed back to the API`;
  }
  return undefined;
}
