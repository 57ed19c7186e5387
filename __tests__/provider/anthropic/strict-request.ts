// What the vendor would refuse of a Messages request, in its words as far as they are known: the form, the order, the pairs, the limits.
import { pythonTrimEnd, requestSchema, type StrictBlock, type StrictMessage, type StrictRequest } from './strict-shape.ts';

/** What a server knows beyond the request: the model's limit, and what it answered before. */
export interface Knowledge {
  readonly maxOutputTokens: number;
  /** The blocks of each answer so far. */
  readonly answers: readonly (readonly object[])[];
  /** Whether a message of the model may be the last one: a paused answer may. */
  readonly isPaused: (content: readonly object[]) => boolean;
}

const nothing: Knowledge = { maxOutputTokens: 64_000, answers: [], isPaused: () => false };
const most = { marks: 4, pictures: 100 };

/** Why the vendor would refuse the body; undefined: it would not. */
export function findRefusal(body: unknown, known: Partial<Knowledge> = {}): string | undefined {
  const knowledge = { ...nothing, ...known };
  if (hasHalfCharacter(body)) return 'The request body is not valid JSON: no low surrogate in string';
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const isExtra = issue?.code === 'unrecognized_keys';
    const path = [...(issue?.path ?? []), ...(isExtra ? issue.keys.slice(0, 1) : [])].join('.');
    return `${path}: ${isExtra ? 'Extra inputs are not permitted' : issue?.message}`;
  }
  // As it came: the order of fields is a part of its bytes.
  const request = body as StrictRequest;
  return (
    refusedOptions(request, knowledge) ??
    refusedTools(request) ??
    refusedMarks(request) ??
    refusedOrder(request.messages) ??
    refusedPairs(request.messages) ??
    refusedEnd(request.messages, knowledge) ??
    refusedThinking(request, knowledge)
  );
}

function hasHalfCharacter(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  return typeof value === 'object' && value !== null && Object.entries(value).flat().some(hasHalfCharacter);
}

function refusedOptions(request: StrictRequest, { maxOutputTokens }: Knowledge): string | undefined {
  const { max_tokens: limit, thinking, tool_choice: choice, tools = [], messages } = request;
  if (limit > maxOutputTokens) {
    return `max_tokens: ${limit} > ${maxOutputTokens}, which is the maximum allowed number of output tokens for ${request.model}`;
  }
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= limit) {
    return '`max_tokens` must be greater than `thinking.budget_tokens`';
  }
  if (choice !== undefined && tools.length === 0) return 'tool_choice may only be specified while providing tools';
  const isForced = choice?.type === 'any' || choice?.type === 'tool';
  if (isForced && thinking !== undefined && thinking.type !== 'disabled')
    return 'Thinking may not be enabled when tool_choice forces tool use';
  const pictures = JSON.stringify(messages).split('"type":"image"').length - 1;
  return pictures > most.pictures ? `too many images: ${pictures}` : undefined;
}

function refusedTools({ tools = [] }: StrictRequest): string | undefined {
  const names = tools.map(({ name }) => name);
  return new Set(names).size < names.length ? 'tools: Tool names must be unique.' : undefined;
}

function refusedMarks({ system = [], tools = [], messages }: StrictRequest): string | undefined {
  const all = [...tools, ...system, ...messages.flatMap(({ content }): readonly object[] => content)];
  const marks = all.filter((block) => 'cache_control' in block).length;
  return marks > most.marks ? `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.` : undefined;
}

function refusedOrder(messages: readonly StrictMessage[]): string | undefined {
  const odd = messages.findIndex(({ role }, index) => role !== (index % 2 === 0 ? 'user' : 'assistant'));
  if (odd === 0) return 'messages: first message must use the "user" role';
  return odd < 0 ? undefined : `messages: roles must alternate between "user" and "assistant", but found ${odd} out of turn`;
}

function refusedPairs(messages: readonly StrictMessage[]): string | undefined {
  const seen = new Set<string>();
  for (const [index, { content }] of messages.entries()) {
    const calls = idsOf(content, 'tool_use');
    const twice = calls.find((id, at) => seen.has(id) || calls.indexOf(id) < at);
    if (twice !== undefined) return `messages.${index}: \`tool_use\` ids must be unique (${twice})`;
    for (const id of calls) seen.add(id);
    const open = idsOf(messages[index - 1]?.content ?? [], 'tool_use');
    const refusal = refusedResults(content, open, index);
    if (refusal !== undefined) return refusal;
  }
  const open = idsOf(messages.at(-1)?.content ?? [], 'tool_use');
  return open.length > 0 ? `messages: \`tool_use\` ids were found without \`tool_result\` blocks: ${open.join()}` : undefined;
}

function refusedResults(content: readonly StrictBlock[], open: readonly string[], index: number): string | undefined {
  const results = idsOf(content, 'tool_result');
  const unknown = results.find((id) => !open.includes(id));
  if (unknown !== undefined) return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unknown}`;
  if (new Set(results).size < results.length) return `messages.${index}: each tool_use must have a single result`;
  const missing = open.filter((id) => !results.includes(id));
  if (missing.length > 0) {
    return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join()}`;
  }
  if (content.slice(0, results.length).some(({ type }) => type !== 'tool_result')) {
    return `messages.${index}: \`tool_result\` blocks must come first`;
  }
  // The vendor takes any order; the task here is that of the calls.
  return results.join() === open.join() ? undefined : `messages.${index}: results are not in the order of the calls`;
}

function refusedEnd(messages: readonly StrictMessage[], { isPaused }: Knowledge): string | undefined {
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'assistant' && isThought(content.at(-1))) {
      return `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`;
    }
  }
  const last = messages.at(-1);
  const end = last?.content.at(-1);
  if (last?.role !== 'assistant') return undefined;
  if (end?.type === 'text' && pythonTrimEnd(end.text) !== end.text) {
    return 'messages: final assistant content cannot end with trailing whitespace';
  }
  return isPaused(last.content)
    ? undefined
    : 'This model does not support assistant message prefill. The conversation must end with a user message.';
}

/** Thinking comes back as it was sent: each block, in its order among the calls, and all of them in the newest answer. */
function refusedThinking({ messages, thinking }: StrictRequest, { answers }: Knowledge): string | undefined {
  const sent = new Set(answers.flat().map((block) => JSON.stringify(block)));
  const newest = messages.findLastIndex(({ role }) => role === 'assistant');
  const answerWith = new Map(answers.flatMap((blocks) => idsOf(blocks, 'tool_use').map((id) => [id, blocks])));
  for (const [index, { content }] of messages.entries()) {
    const changed = content.find((block) => isThought(block) && !sent.has(JSON.stringify(block)));
    if (changed !== undefined) return `messages.${index}: Invalid \`signature\` in \`thinking\` block`;
    const answer = answerWith.get(idsOf(content, 'tool_use').at(-1) ?? '');
    if (answer === undefined) continue;
    const [had, has] = [orderOf(answer), orderOf(content)];
    // Answers that were continued stand together, the newest at the end.
    const isKept =
      index === newest
        ? has.join().endsWith(had.join())
        : isPartOf(
            has.filter((one) => had.includes(one)),
            had,
          );
    if (!isKept) {
      return `messages.${index}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified.`;
    }
  }
  return thinking?.type === 'enabled' ? refusedBegin(messages) : undefined;
}

/** With a budget, an answer that waits for its calls must have begun with thinking. */
function refusedBegin(messages: readonly StrictMessage[]): string | undefined {
  const asked = messages.findLastIndex(({ role, content }) => role === 'user' && content[0]?.type !== 'tool_result');
  const first = messages[asked + 1]?.content;
  if (first === undefined || idsOf(first, 'tool_use').length === 0 || isThought(first[0])) return undefined;
  return `messages.${asked + 1}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first[0]?.type}\``;
}

function isThought(block: { readonly type?: unknown } | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

/** Thinking whole, calls by id: what must stay in its order. */
function orderOf(blocks: readonly object[]): readonly string[] {
  return blocks.flatMap((block) => {
    if (isThought(block)) return [JSON.stringify(block)];
    return idsOf([block], 'tool_use');
  });
}

function isPartOf(some: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  return some.every((one) => {
    at = all.indexOf(one, at) + 1;
    return at > 0;
  });
}

function idsOf(blocks: readonly object[], type: 'tool_use' | 'tool_result'): readonly string[] {
  const field = type === 'tool_use' ? 'id' : 'tool_use_id';
  return blocks.flatMap((block) =>
    'type' in block && block.type === type && field in block ? [String(Reflect.get(block, field))] : [],
  );
}
