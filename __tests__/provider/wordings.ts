// Facts: how servers word it when a request is too long. Bodies as they are sent.
// Sources: the vendors' documentation, and reports of their users (earendil-works/pi#129, openclaw/openclaw#58839, continuedev/continue#10218,
// QwenLM/qwen-code#98, chatboxai/chatbox#2060, bytedance/deer-flow#376, vllm-project/vllm#7048, triton-inference-server/tensorrtllm_backend#141,
// lmstudio-ai/lmstudio-bug-tracker#546, strands-agents/harness-sdk#1528, google-gemini/gemini-cli#4692).

/** `whose`: the server; `body`: of the answer. */
export interface Wording {
  readonly whose: string;
  readonly status: number;
  readonly body: unknown;
}

export function error(whose: string, status: number, message: string, rest: object = {}): Wording {
  return { whose, status, body: { error: { message, ...rest } } };
}

export function anthropicError(whose: string, status: number, message: string, type = 'invalid_request_error'): Wording {
  return { whose, status, body: { type: 'error', error: { type, message } } };
}

/** The request does not fit the model's window. */
export const overflowWordings: readonly Wording[] = [
  error('OpenAI, by code', 400, 'no words', {
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  }),
  error(
    'OpenAI',
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
  ),
  error('OpenAI, newer', 400, 'Your input exceeds the context window of this model. Please adjust your input and try again.'),
  error(
    'OpenAI, configured',
    400,
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 290000 tokens.',
  ),
  error(
    'OpenAI, one message',
    400,
    "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.",
    {
      code: 'string_above_max_length',
    },
  ),
  error(
    'Azure',
    400,
    "This model's maximum context length is 128000 tokens. However, you requested 130000 tokens (126000 in the messages, 4000 in the completion).",
    {
      code: 'context_length_exceeded',
      innererror: {},
    },
  ),
  anthropicError('Anthropic', 400, 'prompt is too long: 210000 tokens > 200000 maximum'),
  anthropicError(
    'Anthropic, with max_tokens',
    400,
    'input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000, decrease input length or `max_tokens` and try again',
  ),
  anthropicError('Anthropic, bytes', 413, 'Request exceeds the maximum size', 'request_too_large'),
  { whose: 'Bedrock', status: 400, body: { message: 'Input is too long for requested model.', __type: 'ValidationException' } },
  { whose: 'Bedrock, short', status: 400, body: { message: 'ValidationException: The input is too long' } },
  { whose: 'Bedrock, limit', status: 400, body: { message: 'Input exceeds the max input token limit' } },
  {
    whose: 'Gemini, as a list',
    status: 400,
    body: [
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
  },
  error(
    'Mistral',
    400,
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    { type: 'invalid_request_prompt', code: '3051' },
  ),
  {
    whose: 'Mistral, older',
    status: 422,
    body: {
      object: 'error',
      message: "The number of tokens in the prompt exceeds the model's maximum context length of 32768.",
      type: 'invalid_request_error',
    },
  },
  error('Groq', 400, 'Please reduce the length of the messages or completion.', {
    param: 'messages',
    code: 'context_length_exceeded',
  }),
  error('Groq, words only', 400, 'Please reduce the length of the messages or completion.'),
  error('Cerebras', 400, 'Please reduce the length of the messages or completion. Current length is 9005 while limit is 8192', {
    code: 'context_length_exceeded',
  }),
  error(
    'Together',
    400,
    "This model's maximum context length is 8193 tokens. However, you requested 9001 tokens (8001 in the messages, 1000 in the completion).",
    { type: 'invalid_request_error' },
  ),
  error(
    'Together, TGI',
    422,
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 0 `max_new_tokens`',
  ),
  {
    whose: 'TGI',
    status: 422,
    body: { error: 'Input validation error: `inputs` must have less than 1024 tokens. Given: 3000', error_type: 'validation' },
  },
  error('Fireworks', 400, 'The prompt is too long: 150000, model maximum context length: 131071'),
  error(
    'DeepSeek',
    400,
    "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (70000 in the messages, 0 in the completion).",
  ),
  error('Moonshot', 400, 'Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)', {
    type: 'invalid_request_error',
  }),
  error('Qwen', 400, '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]', {
    code: 'invalid_parameter_error',
  }),
  {
    whose: 'DashScope',
    status: 400,
    body: { code: 'InvalidParameter', message: 'Range of input length should be [1, 129024]', request_id: 'r' },
  },
  {
    whose: 'vLLM, older',
    status: 400,
    body: {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages.",
      type: 'BadRequestError',
      code: 400,
    },
  },
  error(
    'vLLM',
    400,
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    { type: 'BadRequestError', code: 400 },
  ),
  {
    whose: 'SGLang',
    status: 400,
    body: {
      object: 'error',
      message:
        "Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 210000 tokens.",
      type: 'BadRequestError',
      code: 400,
    },
  },
  error('SGLang, input', 400, "The input (210000 tokens) is longer than the model's context length (202752 tokens)."),
  error('SGLang, length', 400, "Input length (265330) exceeds model's maximum context length (262144)."),
  error('SGLang, allowed', 400, 'Input length (265330 tokens) exceeds the maximum allowed length (262144 tokens)'),
  error('llama.cpp', 400, 'the request exceeds the available context size, try increasing it', {
    code: 400,
    type: 'exceed_context_size_error',
    n_prompt_tokens: 9000,
    n_ctx: 4096,
  }),
  error(
    'llama.cpp, older',
    500,
    'the request exceeds the available context size. try increasing the context size or enable context shift',
    { code: 500, type: 'server_error' },
  ),
  error('llama.cpp, while it writes', 500, 'Context size has been exceeded.', { code: 500, type: 'server_error' }),
  error('llama-cpp-python', 400, 'Requested tokens (9000) exceed context window of 8192', { type: 'invalid_request_error' }),
  { whose: 'Ollama', status: 400, body: { error: 'prompt too long; exceeded max context length by 4096 tokens' } },
  { whose: 'Ollama, input', status: 400, body: { error: 'the input length exceeds the context length' } },
  {
    whose: 'LM Studio',
    status: 400,
    body: {
      error:
        'Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough.',
    },
  },
  {
    whose: 'LM Studio, n_keep',
    status: 400,
    body: { error: 'The number of tokens to keep from the initial prompt is greater than the context length.' },
  },
  {
    whose: 'LM Studio, MLX',
    status: 400,
    body: {
      error:
        'Reached context length of 4096 tokens with this model, but it does not currently support mid-generation context overflow.',
    },
  },
  error(
    'LiteLLM',
    400,
    "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - This model's maximum context length is 8192 tokens.",
    { type: null, code: '400' },
  ),
  error('LiteLLM, name only', 400, 'litellm.ContextWindowExceededError: no words', { code: '400' }),
  error(
    'OpenRouter',
    400,
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (139000 of text input, 1000 in the output).",
    { code: 400 },
  ),
  error('OpenRouter, passed on', 400, 'Provider returned error', {
    code: 400,
    metadata: {
      raw: '{"type":"error","error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
      provider_name: 'Anthropic',
    },
  }),
  error('xAI', 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
  {
    whose: 'xAI, code beside it',
    status: 400,
    body: {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
  },
  {
    whose: 'Cohere',
    status: 400,
    body: {
      message:
        'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt or a smaller max_tokens value.',
    },
  },
  {
    whose: 'Cohere, newer',
    status: 400,
    body: { id: 'i', message: 'too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs.' },
  },
  { whose: 'Databricks', status: 400, body: { error_code: 'BAD_REQUEST', message: 'too many total text bytes' } },
  error('Copilot', 400, 'prompt token count of 140000 exceeds the limit of 128000', { code: 'model_max_prompt_tokens_exceeded' }),
  error('MiniMax', 400, 'invalid params, context window exceeds limit (2013)', { type: 'bad_request_error' }),
  error('z.ai', 400, 'Prompt exceeds max length', { code: '1261' }),
  {
    whose: 'Cloudflare',
    status: 400,
    body: {
      errors: [
        {
          message:
            'AiError: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8000).',
          code: 5021,
        },
      ],
    },
  },
  error('vLLM, before', 400, 'Input prompt (9762 tokens) is too long and exceeds limit of 8192'),
  error(
    'vLLM, of what it is given',
    400,
    'The prompt (total length 40000) is too long to fit into the model (context length 32768). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.',
    { type: 'BadRequestError', code: 400 },
  ),
  error('vLLM, of the room for the answer', 400, 'max_tokens must be at least 1, got -1394.', { code: 400 }),
  error(
    'vLLM, of a request',
    400,
    "This model's maximum context length is 40960 tokens. However, your request has 46809 input tokens. Please reduce the length of the input messages.",
  ),

  {
    whose: 'SiliconFlow',
    status: 400,
    body: { code: 20015, message: 'length of prompt_tokens (163280) must be less than max_seq_len (32768).', data: null },
  },
  {
    whose: 'SiliconFlow, with the answer',
    status: 400,
    body: { code: 20015, message: 'max_total_tokens (172191) must be less than or equal to max_seq_len (131072)', data: null },
  },
  {
    whose: 'Kiro',
    status: 400,
    body: { message: 'Input content length exceeds threshold.', reason: 'CONTENT_LENGTH_EXCEEDS_THRESHOLD' },
  },
  error('TensorRT-LLM', 400, 'Cannot process new request: Prompt length (5056) exceeds maximum sequence length (2048)'),
  error(
    'TensorRT-LLM, newer',
    400,
    'Encountered an error when fetching new request: Prompt length (1251) exceeds maximum input length (1024)',
  ),
  error('WASI-NN', 500, 'prompt too long (570 tokens, max 508)'),
  error('exllama', 400, 'Prompt length 40000 is greater than max_seq_len 32768'),
  error('Ark', 400, 'Total tokens of image and text exceed max message tokens', { code: 'InvalidParameter', type: 'BadRequest' }),
  error(
    'Vertex',
    400,
    'Unable to submit request because the input token count is 1200000 but model only supports up to 1048576. Reduce the input token count and try again.',
    { code: 400, status: 'INVALID_ARGUMENT' },
  ),
  error('Gemini, without numbers', 400, 'The input token count exceeds the maximum number of tokens allowed 1048576.', {
    code: 400,
    status: 'INVALID_ARGUMENT',
  }),
  {
    whose: 'Bedrock, Nova',
    status: 400,
    body: {
      message:
        'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
    },
  },
  error('LiteLLM, its own words', 400, "The input exceeds the model's maximum context limit of 8192 tokens."),
  error('a gateway, of the payload', 400, 'The request payload size has exceed context limit.'),
  error('a gateway, of the window', 400, 'Model context window is 128k tokens, you requested 256k tokens'),
  error('a gateway, in short', 400, 'Prompt too large for this model'),
  { whose: 'a FastAPI server', status: 422, body: { detail: 'Prompt too long: 5152 tokens exceeds max_seq_len 2048' } },
  {
    whose: 'a list of details',
    status: 422,
    body: { detail: [{ loc: ['body', 'messages'], msg: 'maximum context length is 4096 tokens', type: 'value_error' }] },
  },
  { whose: 'no JSON', status: 400, body: 'Error: prompt is too long' },
];
