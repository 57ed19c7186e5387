// Makes a history valid for every provider, whatever was cut or lost. Pure and idempotent; what is sound stays the same object.
import { isObservation, type Message, type Part, type ToolCall, textPart } from '../schema/message.ts';
import { withCalls, withFreeId } from './own-calls.ts';

const lostText = 'interrupted: this call has no result; the run ended before it, or the result was lost';
const lostBeginningText = '(The beginning of this conversation is not available.)';
const noOutput: readonly Part[] = [textPart('(no output)')];

/**
 * Every call is answered once, directly after its message and in the order of the calls; results without a call, second results and empty
 * messages are gone; call ids are unique; no two assistant messages stand in a row; the first message after the system prompt is a user's.
 */
export function repairHistory(messages: readonly Message[]): readonly Message[] {
  const answers = matchAnswers(messages);
  const ids = new Set<string>();
  const paired = messages.flatMap((message, at) => pairUp(message, answers.get(at) ?? [], ids));
  return withBeginning(paired.reduce(joinAssistants, []));
}

/** By the index of an assistant message: the result of each of its calls; undefined where there is none. */
type Answers = ReadonlyMap<number, readonly (Message | undefined)[]>;

/** A result belongs to the newest message before it that has a call of its id; the first result counts. */
function matchAnswers(messages: readonly Message[]): Answers {
  const answers = new Map<number, (Message | undefined)[]>();
  const open = new Map<string, { readonly own: (Message | undefined)[]; readonly waiting: number[] }>();
  for (const [at, message] of messages.entries()) {
    if (isObservation(message)) {
      const asked = open.get(message.toolCallId);
      const index = asked?.waiting.shift();
      if (asked !== undefined && index !== undefined) asked.own[index] = message;
      continue;
    }
    const calls = callsOf(message);
    const own = new Array<Message | undefined>(calls.length).fill(undefined);
    answers.set(at, own);
    for (const [id, waiting] of indexesById(calls)) open.set(id, { own, waiting });
  }
  return answers;
}

function indexesById(calls: readonly ToolCall[]): ReadonlyMap<string, number[]> {
  return Map.groupBy(calls.keys(), (index) => calls[index]?.id ?? '');
}

function pairUp(message: Message, answers: readonly (Message | undefined)[], ids: Set<string>): readonly Message[] {
  if (isObservation(message)) return [];
  if (callsOf(message).length === 0) return isEmpty(message) ? [] : [message];
  const own = withCalls(message, (call) => withFreeId(call, ids));
  return [own, ...callsOf(own).map((call, index) => answerTo(call, answers[index]))];
}

function callsOf(message: Message): readonly ToolCall[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []) : [];
}

function answerTo(call: ToolCall, answer: Message | undefined): Message {
  if (answer === undefined) return { role: 'user', content: [textPart(lostText)], toolCallId: call.id, isError: true };
  if (answer.toolCallId === call.id && !isEmpty(answer)) return answer;
  return { ...answer, toolCallId: call.id, content: isEmpty(answer) ? noOutput : answer.content };
}

function joinAssistants(joined: Message[], message: Message): Message[] {
  const last = joined.at(-1);
  if (last?.role === 'assistant' && message.role === 'assistant') {
    joined.splice(-1, 1, { ...message, content: [...last.content, ...message.content] });
  } else {
    joined.push(message);
  }
  return joined;
}

function withBeginning(messages: readonly Message[]): readonly Message[] {
  const index = messages.findIndex((message) => message.role !== 'system');
  if (messages[index]?.role !== 'assistant') return messages;
  const beginning: Message = { role: 'user', content: [textPart(lostBeginningText)] };
  return [...messages.slice(0, index), beginning, ...messages.slice(index)];
}

/** Thinking alone is no answer: another vendor would get an empty message. */
function isEmpty(message: Message): boolean {
  if (message.role === 'system') return false;
  return message.content.every((part) => part.type === 'opaque' || (part.type === 'text' && part.text.trim() === ''));
}
