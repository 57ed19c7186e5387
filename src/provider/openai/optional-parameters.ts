// The parameters of a Chat Completions request that a compatible server may refuse; data for refused-parameters.ts.
import { reasoningEfforts } from '../../schema/settings.ts';
import type { Body, OptionalParameter } from '../refused-parameters.ts';
import type { ServerFacts } from './server-facts.ts';
import { opaqueFields } from './wire.ts';

/** In the order in which one is held for the refused one when a refusal names several in the same place. */
export function optionalParameters({ limitName }: Pick<ServerFacts, 'limitName'>): readonly OptionalParameter[] {
  return [
    { name: limitName, alias: limitName === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens', isLimit: true },
    { name: 'stream_options' },
    // Ollama and others say "does not support thinking", OpenRouter "Reasoning is mandatory". Names of models have the words, too.
    { name: 'reasoning_effort', values: reasoningEfforts, words: /(?<![\w-])(?:thinking|reasoning)(?![\w-])/i },
    { name: 'response_format', words: /json_schema|structured outputs?|response format/i },
    { name: 'tool_choice' },
    // DeepSeek's older models take none of what they sent. Source: DeepSeek API, Reasoning model.
    ...opaqueFields.map((name) => ({ name, remove: (body: Body) => withoutField(body, name) })),
  ];
}

/** The body without that field of its messages and their calls; the same object when none has it. */
function withoutField(body: Body, name: string): Body {
  const text = JSON.stringify(body.messages);
  if (!text.includes(`"${name}":`)) return body;
  const messages: unknown = JSON.parse(text, (key, value: unknown) => (key === name ? undefined : value));
  return JSON.stringify(messages) === text ? body : { ...body, messages };
}
