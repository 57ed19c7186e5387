// A part of the history as plain text for the model that summarises it. Long texts are shortened, pictures and vendor blocks left out. Pure.
import { isComment, type Message, textOf } from '../../schema/message.ts';
import { shortenText } from './shorten.ts';

const maxTextTokens = 1_000;
const maxArgumentTokens = 300;
const maxResultTokens = 500;

/** One paragraph a message: who speaks, then what. The mark is in every line that says who speaks, since a text may hold such lines, too. */
export function renderTranscript(messages: readonly Message[], mark: string): string {
  const speakers: Speakers = { mark, names: new Map() };
  return messages.map((message) => renderMessage(message, speakers)).join('\n\n');
}

/** `names`: of the tools, by the ids of their calls. */
interface Speakers {
  readonly mark: string;
  readonly names: Map<string, string>;
}

function renderMessage(message: Message, { mark, names }: Speakers): string {
  const text = textOf(message.content).trim();
  if (message.toolCallId !== undefined) {
    const outcome = message.isError ? 'failed' : 'worked';
    const name = names.get(message.toolCallId) ?? 'a call';
    return `[${mark} result of ${name}, which ${outcome}]\n${shortenText(text, { tokens: maxResultTokens })}`;
  }
  const calls = message.toolCalls ?? [];
  for (const call of calls) names.set(call.id, call.name);
  const said = text === '' ? [] : [shortenText(text, { tokens: maxTextTokens, headShare: isComment(message) ? 0.25 : 0.5 })];
  const called = calls.map((call) => `[${mark} call ${call.name}] ${shortenText(call.arguments, { tokens: maxArgumentTokens })}`);
  const speaker = message.isFromRun === true ? 'note to the assistant, by no person' : message.role;
  return [`[${mark} ${speaker}]`, ...said, ...called].join('\n');
}
