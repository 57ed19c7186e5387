// What compatible servers send for a text or a call, written down by hand from their documentation and from what their users reported.
import { body, chunk, type Recording, sse } from './recordings.ts';

type Json = Readonly<Record<string, unknown>>;

function call(path: string, more: Json = {}): Json {
  return { id: `call_${path}`, type: 'function', function: { name: 'read_file', arguments: `{"path":"${path}"}` }, ...more };
}

/** A chunk whose choice has more beside its delta. */
function choiceChunk(choice: Json, more: Json = {}): Json {
  return { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }], ...more };
}

const filters = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: false, severity: 'safe' } };
const details = [
  { type: 'reasoning.text', text: 'I should look.', signature: 'c2ln', format: 'anthropic-claude-v1', index: 0 },
  { type: 'reasoning.encrypted', data: 'ZW5jcnlwdGVk', id: 'call_a', format: 'google-gemini-v1', index: 1 },
];
const plainUsage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
const plain = { inputTokens: 20, outputTokens: 5 };

export const serverRecordings: readonly Recording[] = [
  {
    name: 'Azure: filters of the prompt first, of the text beside it and after its end',
    stream: sse([
      {
        id: '',
        object: '',
        created: 0,
        model: '',
        choices: [],
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: filters }],
      },
      choiceChunk({ delta: { role: 'assistant', content: '' }, finish_reason: null, content_filter_results: {} }),
      choiceChunk({ delta: { content: 'Grüße' }, finish_reason: null, content_filter_results: filters, logprobs: null }),
      choiceChunk({
        finish_reason: null,
        content_filter_results: filters,
        content_filter_offsets: { check_offset: 0, start_offset: 0, end_offset: 5 },
      }),
      choiceChunk({ delta: {}, finish_reason: 'stop', content_filter_results: {} }),
      choiceChunk({
        content_filter_result: { error: { code: 'content_filter_error', message: 'The contents are not filtered' } },
      }),
      { choices: [], usage: plainUsage },
    ]),
    body: {
      ...Object(body({ content: 'Grüße', refusal: null }, 'stop', plainUsage)),
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: filters }],
    },
    usage: plain,
  },
  {
    name: 'Azure: a text that the filter stops',
    stream: sse([
      choiceChunk({ delta: { role: 'assistant', content: 'So' }, finish_reason: null }),
      choiceChunk({
        delta: {},
        finish_reason: 'content_filter',
        content_filter_results: { violence: { filtered: true, severity: 'high' } },
      }),
      { choices: [], usage: plainUsage },
    ]),
    body: body({ content: 'So' }, 'content_filter', plainUsage),
    usage: plain,
  },
  {
    name: 'OpenRouter: comments, reasoning in both forms and in pieces, its own finish reasons',
    stream: `: OPENROUTER PROCESSING\n\n${sse([
      choiceChunk({
        delta: {
          role: 'assistant',
          content: '',
          reasoning: 'I should ',
          reasoning_details: [{ ...details[0], text: 'I should ', signature: null }],
        },
        finish_reason: null,
        native_finish_reason: null,
      }),
      choiceChunk({
        delta: { content: '', reasoning: 'look.', reasoning_details: [{ ...details[0], text: 'look.', signature: null }] },
      }),
      choiceChunk({ delta: { content: '', reasoning: null, reasoning_details: [{ ...details[0], text: '' }] } }),
      choiceChunk({ delta: { content: '', reasoning_details: [details[1]], tool_calls: [{ index: 0, ...call('a') }] } }),
      choiceChunk({ delta: { content: '' }, finish_reason: 'tool_calls', native_finish_reason: 'tool_use' }),
      choiceChunk(
        { delta: { content: '' }, finish_reason: null },
        { usage: { ...plainUsage, cost: 0.95, prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 7 } } },
      ),
    ])}`,
    body: body({ content: '', reasoning: 'I should look.', reasoning_details: details, tool_calls: [call('a')] }, 'tool_calls', {
      ...plainUsage,
      cost: 0.95,
      prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 7 },
    }),
    usage: { ...plain, cacheReadTokens: 3, cacheWriteTokens: 7 },
  },
  {
    name: 'DeepSeek: reasoning_content, then a text, its own names for cached tokens',
    stream: sse([
      chunk({ role: 'assistant', content: null, reasoning_content: 'Hm' }),
      chunk({ content: null, reasoning_content: ', yes.' }),
      chunk({ content: 'Yes.', reasoning_content: null }),
      {
        ...Object(chunk({ content: '', reasoning_content: null }, 'stop')),
        usage: { ...plainUsage, prompt_cache_hit_tokens: 16, prompt_cache_miss_tokens: 4 },
      },
    ]),
    body: body({ content: 'Yes.', reasoning_content: 'Hm, yes.' }, 'stop', {
      ...plainUsage,
      prompt_cache_hit_tokens: 16,
      prompt_cache_miss_tokens: 4,
    }),
    usage: { ...plain, cacheReadTokens: 16 },
  },
  {
    name: 'Moonshot: usage inside the choice, cached tokens beside the others, ids with a place in them',
    stream: sse([
      choiceChunk({ delta: { role: 'assistant', content: '' }, finish_reason: null }),
      choiceChunk({ delta: { tool_calls: [{ index: 0, ...call('a', { id: 'read_file:0' }) }] }, finish_reason: null }),
      choiceChunk({ delta: {}, finish_reason: 'tool_calls', usage: { ...plainUsage, cached_tokens: 10 } }),
    ]),
    body: body({ content: '', tool_calls: [call('a', { id: 'read_file:0' })] }, 'tool_calls', {
      ...plainUsage,
      cached_tokens: 10,
    }),
    usage: { ...plain, cacheReadTokens: 10 },
  },
  {
    name: 'Qwen: a name on every fragment, arguments that begin empty, an id that is then empty',
    stream: sse([
      chunk({ role: 'assistant', content: null, reasoning_content: 'Let me see' }),
      chunk({ tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, id: '', type: 'function', function: { name: null, arguments: '{"path":' } }] }),
      chunk({ tool_calls: [{ index: 0, id: '', type: 'function', function: { arguments: '"a"}' } }] }),
      chunk({ content: '', reasoning_content: null }, 'tool_calls'),
      { choices: [], usage: { ...plainUsage, prompt_tokens_details: { cached_tokens: 0 } } },
    ]),
    body: body({ content: '', reasoning_content: 'Let me see', tool_calls: [call('a')] }, 'tool_calls', plainUsage),
    usage: plain,
  },
  {
    name: 'vLLM: reasoning, two calls, the finish with an empty delta',
    stream: sse([
      chunk({ role: 'assistant', content: '', reasoning: null, tool_calls: [] }),
      chunk({ reasoning: 'Both.' }),
      chunk({ tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'read_file' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"path":"a"}' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'call_b', type: 'function', function: { name: 'read_file' } }] }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: '{"path":"b"}' } }] }),
      { ...choiceChunk({ delta: { content: '' }, finish_reason: 'tool_calls', stop_reason: null, token_ids: null }) },
      { choices: [], usage: { ...plainUsage, prompt_tokens_details: null } },
    ]),
    body: body(
      { content: null, reasoning: 'Both.', tool_calls: [call('a'), call('b')], function_call: null },
      'tool_calls',
      plainUsage,
    ),
    usage: plain,
  },
  {
    name: 'llama.cpp: timings, a first chunk whose text is null, usage with the finish',
    stream: sse([
      choiceChunk({ finish_reason: null, delta: { role: 'assistant', content: null } }, { system_fingerprint: 'b9554' }),
      choiceChunk({ finish_reason: null, delta: { content: 'Hallo' } }, { timings: { prompt_n: 20, predicted_ms: 1.5 } }),
      choiceChunk({ finish_reason: 'stop', delta: {} }, { usage: plainUsage, timings: { prompt_n: 20 } }),
    ]),
    body: { ...Object(body({ content: 'Hallo' }, 'stop', plainUsage)), timings: { prompt_n: 20 } },
    usage: plain,
  },
  {
    name: 'Ollama: a whole call in one chunk, its index not the first, reasoning',
    stream: sse([
      chunk({ role: 'assistant', content: '', reasoning: 'Look' }),
      chunk({ role: 'assistant', content: '', tool_calls: [{ ...call('a'), index: 2 }] }),
      chunk({ role: 'assistant', content: '' }, 'tool_calls'),
      { choices: [], usage: plainUsage },
    ]),
    body: body({ content: '', reasoning: 'Look', tool_calls: [{ ...call('a'), index: 0 }] }, 'tool_calls', plainUsage),
    usage: plain,
  },
  {
    name: 'Gemini: thought signatures on the calls, both of them of index 0',
    stream: sse([
      chunk({
        role: 'assistant',
        tool_calls: [
          { index: 0, ...call('a', { extra_content: { google: { thought_signature: 'AY89a18I==' } } }) },
          { index: 0, ...call('b') },
        ],
      }),
      { ...Object(chunk({ role: 'assistant' }, 'tool_calls')), usage: plainUsage },
    ]),
    body: body(
      { tool_calls: [call('a', { extra_content: { google: { thought_signature: 'AY89a18I==' } } }), call('b')] },
      'tool_calls',
      plainUsage,
    ),
    usage: plain,
  },
  {
    name: 'LiteLLM: both forms of cached tokens, fields of others, usage with an empty choice after the end',
    stream: sse([
      choiceChunk({ delta: { role: 'assistant', content: 'Fi', provider_specific_fields: null } }),
      choiceChunk({ delta: { content: 'ne.', audio: null, function_call: null } }),
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], error: null, citations: null },
      {
        choices: [{ index: 0, delta: {} }],
        usage: {
          ...plainUsage,
          cache_read_input_tokens: 4,
          cache_creation_input_tokens: 6,
          prompt_tokens_details: { cached_tokens: 4, text_tokens: null },
        },
      },
    ]),
    body: body({ content: 'Fine.', role: 'assistant' }, 'stop', {
      ...plainUsage,
      cache_creation_input_tokens: 6,
      prompt_tokens_details: { cached_tokens: 4 },
    }),
    usage: { ...plain, cacheReadTokens: 4, cacheWriteTokens: 6 },
  },
];
