// Whether both vendors would accept a view: repaired and converted by the real code, then checked by rules as strict as the strictest server.
import { repairHistory } from '../../../src/engine/repair-history.ts';
import { convertMessages as convertForAnthropic, convertSystem } from '../../../src/provider/anthropic/convert-messages.ts';
import { convertMessages as convertForOpenAI } from '../../../src/provider/openai/convert-messages.ts';
import type { Message } from '../../../src/schema/message.ts';
import { checkAnthropicOrder } from '../../provider/anthropic/strict-order.ts';
import { checkMessages } from '../../provider/openai/strict-request.ts';
import { origin } from './histories.ts';

/** Throws when a vendor would refuse this view once it is repaired. */
export function checkView(view: readonly Message[]): void {
  const repaired = repairHistory(view);
  checkOpenAI(repaired);
  checkAnthropic(repaired);
}

function checkOpenAI(messages: readonly Message[]): void {
  const converted = convertForOpenAI(messages, origin);
  checkMessages(converted);
  const rest = converted.filter((message) => message.role !== 'system');
  if (rest.length > 0 && rest[0]?.role !== 'user') throw new Error(`the first message is of role ${rest[0]?.role}`);
  if (converted.findLastIndex((message) => message.role === 'system') > 0) throw new Error('a system message inside');
  if (rest.some((message, index) => message.role === 'assistant' && rest[index + 1]?.role === 'assistant')) {
    throw new Error('two assistant messages in a row');
  }
  checkIds(converted.flatMap((message) => ('tool_calls' in message ? (message.tool_calls ?? []) : [])).map((call) => call.id));
}

function checkAnthropic(messages: readonly Message[]): void {
  const turns = convertForAnthropic(messages, origin);
  const body = turns.map(({ role, blocks }) => ({ role, content: blocks.map(({ block }) => block) }));
  if (body.length > 0) checkAnthropicOrder({ system: convertSystem(messages), messages: body });
  const blocks = body.flatMap((message) => message.content);
  checkIds(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));
  for (const { content, role } of body) {
    const thinksLate = content.some((block, index) => block.type === 'thinking' && content[index - 1]?.type === 'tool_use');
    if (role === 'user' && content.some((block) => block.type === 'thinking')) throw new Error('a user that thinks');
    if (thinksLate) throw new Error('thinking behind a call');
  }
}

function checkIds(ids: readonly string[]): void {
  const doubled = ids.filter((id, index) => ids.indexOf(id) !== index);
  if (doubled.length > 0) throw new Error(`ids that are there twice: ${doubled.join()}`);
}
