/** Writes answers as OpenAI's Chat Completions does, whole and as a stream. */
import type { Answer, RenderedAnswer } from './scripted-turn.ts';

/** The answer in both forms. */
export function renderOpenAI(answer: Answer): RenderedAnswer {
  const finishReason = answer.calls.length > 0 ? 'tool_calls' : 'stop';
  const usage = {
    prompt_tokens: answer.inputTokens,
    completion_tokens: answer.outputTokens,
    total_tokens: answer.inputTokens + answer.outputTokens,
  };
  const common = { id: `chatcmpl-${answer.id}`, created: 0, model: answer.model };
  const calls = answer.calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  const message = {
    role: 'assistant',
    content: answer.text === '' ? null : answer.text,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const chunk = (delta: unknown, finish: string | null): unknown => ({
    ...common,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const chunks = [
    chunk({ role: 'assistant', content: '' }, null),
    ...pieces(answer.text).map((content) => chunk({ content }, null)),
    ...calls.flatMap((call, index) => callDeltas(call, index).map((delta) => chunk(delta, null))),
    chunk({}, finishReason),
    { ...common, object: 'chat.completion.chunk', choices: [], usage },
  ];
  return {
    body: { ...common, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finishReason }], usage },
    events: [...chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`), 'data: [DONE]\n\n'],
  };
}

function callDeltas(
  call: { readonly id: string; readonly type: string; readonly function: { readonly name: string; readonly arguments: string } },
  index: number,
): readonly unknown[] {
  const head = { tool_calls: [{ index, id: call.id, type: call.type, function: { name: call.function.name, arguments: '' } }] };
  return [head, ...pieces(call.function.arguments).map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] }))];
}

// Small enough that every answer of interest comes in several pieces.
const PIECE_CHARACTERS = 24;

/** A text in pieces as a model streams them. */
export function pieces(text: string): readonly string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / PIECE_CHARACTERS);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * PIECE_CHARACTERS, (index + 1) * PIECE_CHARACTERS).join(''),
  );
}
