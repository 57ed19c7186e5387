// Facts: how servers word it when a request is one too many, and when it is neither that nor too long. Sources: see wordings.ts.
import { anthropicError, error, type Wording } from './wordings.ts';

/** One request too many; another time is better. */
export const throttlingWordings: readonly Wording[] = [
  error(
    'OpenAI',
    429,
    'Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.',
    { type: 'tokens', code: 'rate_limit_exceeded' },
  ),
  error(
    'OpenAI, requests',
    429,
    'Rate limit reached for gpt-4o on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.',
    { type: 'requests', code: 'rate_limit_exceeded' },
  ),
  error(
    'Azure',
    429,
    'Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current pricing tier. Please retry after 26 seconds.',
    { code: '429' },
  ),
  anthropicError(
    'Anthropic',
    429,
    "This request would exceed your organization's rate limit of 40,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested, or try again later.",
    'rate_limit_error',
  ),
  anthropicError(
    'Anthropic, older',
    429,
    'Number of request tokens has exceeded your per-minute rate limit; the prompt is too long',
    'rate_limit_error',
  ),
  anthropicError('Anthropic, full', 529, 'Overloaded', 'overloaded_error'),
  {
    whose: 'Bedrock',
    status: 429,
    body: { message: 'Too many tokens, please wait before trying again.', __type: 'ThrottlingException' },
  },
  error(
    'LiteLLM over Bedrock',
    400,
    'litellm.RateLimitError: BedrockException - Too many tokens, please wait before trying again.',
    { code: '400' },
  ),
  error('LiteLLM, as its own fault', 500, 'litellm.RateLimitError: too many tokens: maximum context length of the tier reached', {
    type: 'server_error',
  }),
  {
    whose: 'Gemini',
    status: 429,
    body: [
      {
        error: {
          code: 429,
          message:
            'You exceeded your current quota, please check your plan and billing details. Quota exceeded for metric: generate_content_free_tier_input_token_count, limit: 250000. Please retry in 17s.',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '17s' }],
        },
      },
    ],
  },
  error('Mistral', 429, 'Service tier capacity exceeded for this model.', {
    type: 'service_tier_capacity_exceeded',
    code: '3505',
  }),
  { whose: 'Mistral, requests', status: 429, body: { message: 'Requests rate limit exceeded' } },
  error(
    'Groq',
    429,
    'Rate limit reached for model `llama-3.3-70b-versatile` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s.',
    { type: 'tokens', code: 'rate_limit_exceeded' },
  ),
  error(
    'Groq, as 413',
    413,
    'Rate limit reached on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443, please reduce your message size and try again.',
    { code: 'rate_limit_exceeded' },
  ),
  {
    whose: 'Cerebras',
    status: 429,
    body: {
      message: 'Tokens per minute limit exceeded - too many tokens processed.',
      type: 'too_many_tokens_error',
      code: 'token_quota_exceeded',
    },
  },
  error(
    'Together',
    429,
    'You have reached the rate limit specific to this model. The maximum rate limit for this model is 6.0 queries and 180000 tokens per minute.',
    { type: 'model_rate_limit' },
  ),
  error('DeepSeek', 503, 'The server is overloaded due to high traffic. Please retry your request after a brief wait.'),
  error('Moonshot', 429, 'Your account org-x request reached organization TPM rate limit, current: 130000, limit: 128000', {
    type: 'rate_limit_reached_error',
  }),
  error(
    'Moonshot, at once',
    429,
    'Your account org-x request reached max organization concurrency: 1, please try again after 1 seconds',
    { type: 'rate_limit_reached_error' },
  ),
  error('Qwen', 429, 'Requests rate limit exceeded, please try again later.', { code: 'limit_requests' }),
  error('xAI', 429, "Too many requests for team x. Your team's rate limit is: requests per minute 60."),
  { whose: 'Cohere', status: 429, body: { message: 'You are using a Trial key, which is limited to 10 API calls / minute.' } },
  error('OpenRouter', 429, 'Rate limit exceeded: free-models-per-min.', { code: 429 }),
  error('OpenRouter, passed on', 429, 'Provider returned error', {
    code: 429,
    metadata: { raw: 'temporarily rate-limited upstream: maximum context length' },
  }),
  error('Fireworks', 429, 'Rate limit exceeded for this model, please retry later'),
  error('vLLM', 503, 'Too many requests in the queue'),
  error(
    'Vertex, as a bad request',
    400,
    '429 Quota exceeded for aiplatform.googleapis.com/generate_content_requests_per_minute_per_project_per_base_model',
  ),
  error('Bedrock, as a bad request', 400, 'Too many tokens per day, please wait before trying again.'),
  error('Ark', 429, 'Requests have exceeded the account TPM limit. Please try again later'),
  error('a queue', 503, 'server busy, please try again. maximum pending requests exceeded'),
  error('a day’s tokens', 400, 'request reached organization TPD rate limit, current: 1506556, limit: 1500000'),
  error('GitHub Models', 429, 'Rate limit of 15000 per 86400s exceeded for UserByModelByDay: input is too long.'),
  error('a proxy', 403, 'API rate limit exceeded for this address; try again later'),
  { whose: 'a gateway without words', status: 429, body: '' },
  {
    whose: 'a gateway that speaks of length',
    status: 429,
    body: 'prompt is too long for now: maximum context length per minute',
  },
];

/** Neither: what it is, and whether it is tried again. */
export const otherWordings: readonly (Wording & { readonly kind: string; readonly retryable: boolean })[] = [
  {
    ...error(
      'OpenAI, one request over the limit',
      429,
      'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 31000. The input or output tokens must be reduced in order to run successfully.',
      { code: 'rate_limit_exceeded' },
    ),
    kind: 'rate_limit',
    retryable: false,
  },
  {
    ...error('the same as rate', 429, 'Rate limit reached on tokens per min (TPM): Limit 30,000, Requested 31,000.'),
    kind: 'rate_limit',
    retryable: false,
  },
  {
    ...error(
      'Groq, one request over the limit',
      413,
      'Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce your message size and try again.',
      { code: 'rate_limit_exceeded' },
    ),
    kind: 'rate_limit',
    retryable: false,
  },
  {
    ...error(
      'Groq, older',
      429,
      'Rate limit reached on tokens per minute (TPM): Limit 7000, Used 0, Requested ~12903. Please try again in 50.597142857s.',
    ),
    kind: 'rate_limit',
    retryable: false,
  },
  {
    ...error('OpenAI, unpaid', 429, 'You exceeded your current quota, please check your plan and billing details.', {
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    }),
    kind: 'quota',
    retryable: false,
  },
  {
    ...anthropicError(
      'Anthropic, unpaid',
      400,
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
    ),
    kind: 'quota',
    retryable: false,
  },
  { ...error('DeepSeek, unpaid', 402, 'Insufficient Balance'), kind: 'quota', retryable: false },
  {
    ...error('Moonshot, unpaid', 429, 'Your account is not active, exceeded_current_quota_error', {
      type: 'exceeded_current_quota_error',
    }),
    kind: 'quota',
    retryable: false,
  },
  {
    ...error('Qwen, unpaid', 400, 'Access denied, please make sure your account is in good standing.', { code: 'Arrearage' }),
    kind: 'quota',
    retryable: false,
  },
  {
    ...error('xAI, unpaid', 403, 'Your team has either used all available credits or reached its monthly spending limit.'),
    kind: 'quota',
    retryable: false,
  },
  {
    ...error('OpenRouter, unpaid', 402, 'This request requires more credits, or fewer max_tokens.', { code: 402 }),
    kind: 'quota',
    retryable: false,
  },
  { ...error('OpenAI, its hard limit', 400, 'Billing hard limit has been reached'), kind: 'quota', retryable: false },
  {
    ...error('Ark, overdue', 403, 'The request failed because your account has an overdue balance.'),
    kind: 'quota',
    retryable: false,
  },
  { ...error('SiliconFlow, unpaid', 403, 'Sorry, your account balance is insufficient'), kind: 'quota', retryable: false },
  { ...error('Zhipu, unpaid', 429, '余额不足或无可用资源包,请充值', { code: '1113' }), kind: 'quota', retryable: false },
  { ...error('Groq, its limit', 400, 'Organization has exceeded its spend limit'), kind: 'quota', retryable: false },
  {
    ...error('Fireworks, unpaid', 412, 'Account is suspended, possibly due to reaching the monthly spending limit'),
    kind: 'quota',
    retryable: false,
  },
  {
    ...error('Gemini, prepaid', 429, 'Your prepayment credits are depleted. Please go to AI Studio'),
    kind: 'quota',
    retryable: false,
  },
  {
    ...anthropicError(
      'Anthropic, its limit',
      400,
      'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
    ),
    kind: 'quota',
    retryable: false,
  },
  {
    ...error('LiteLLM, a budget', 400, 'Budget has been exceeded! Current cost: 10.01, Max budget: 10.0'),
    kind: 'quota',
    retryable: false,
  },
  { ...error('a filter', 400, 'prompt is too long for this content filter'), kind: 'bad_request', retryable: false },
  { ...error('a field', 400, 'metadata.user_id: input is too long'), kind: 'bad_request', retryable: false },
  { ...error('a string', 400, 'string too long: expected maxLength 64'), kind: 'bad_request', retryable: false },
  {
    ...error(
      'a call’s id',
      400,
      "Invalid 'messages[1].tool_call_id': string too long. Expected a string with maximum length 40",
      {
        code: 'string_above_max_length',
      },
    ),
    kind: 'bad_request',
    retryable: false,
  },
  {
    ...error('a tool’s words', 400, 'tools.0.description: input is too long, at most 1024'),
    kind: 'bad_request',
    retryable: false,
  },
  { ...error('too many messages', 400, 'messages: array too long, maximum 2048'), kind: 'bad_request', retryable: false },
  {
    ...error('a window that is too small', 400, 'Model context window too small (minimum is 128k tokens)'),
    kind: 'bad_request',
    retryable: false,
  },
  {
    ...error('a picture’s size', 400, "The image's dimensions exceed max allowed size: 8000 pixels"),
    kind: 'bad_request',
    retryable: false,
  },
  {
    ...error('an output limit and the window', 400, 'max_tokens must be less than context length'),
    kind: 'bad_request',
    retryable: false,
  },
  {
    ...error(
      'an output limit that is larger than the window',
      400,
      'Value of max_tokens (100) exceeds the model context length setting',
    ),
    kind: 'bad_request',
    retryable: false,
  },
  {
    ...error(
      'an output limit',
      400,
      'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
      { code: 'invalid_value' },
    ),
    kind: 'bad_request',
    retryable: false,
  },
  {
    ...anthropicError(
      'Anthropic, an output limit',
      400,
      'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens',
    ),
    kind: 'bad_request',
    retryable: false,
  },
  {
    ...error(
      'a tool’s description',
      400,
      "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024",
      { code: 'string_above_max_length' },
    ),
    kind: 'bad_request',
    retryable: false,
  },
  { ...error('a tool’s name', 400, 'tools.0.name is too long: at most 64 characters'), kind: 'bad_request', retryable: false },
  { ...error('too many tools', 400, 'array too long: maximum of 128 tools'), kind: 'bad_request', retryable: false },
  {
    ...anthropicError('a picture', 400, 'messages.1.content.0.image: image exceeds 5 MB maximum'),
    kind: 'bad_request',
    retryable: false,
  },
  {
    ...error('a model’s name', 404, 'The model with a long context window does not exist', { code: 'model_not_found' }),
    kind: 'not_found',
    retryable: false,
  },
  {
    ...error('a key that speaks of rates', 401, 'Incorrect API key: check your rate limit dashboard'),
    kind: 'auth',
    retryable: false,
  },
  {
    ...error('Ollama, by the name of a fault of its own', 400, 'registry.ollama.ai/library/gemma:2b does not support tools', {
      type: 'api_error',
    }),
    kind: 'bad_request',
    retryable: false,
  },
  {
    ...error('a gateway, of a parameter', 422, 'unknown field "foo"', { type: 'server_error' }),
    kind: 'bad_request',
    retryable: false,
  },
  {
    ...error('a server that fell over', 500, 'The server had an error while processing your request', { type: 'server_error' }),
    kind: 'overloaded',
    retryable: true,
  },
];
