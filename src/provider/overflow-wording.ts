// How servers word what has no code: too long for the context window, asked too often, no credit left. Told apart here, and nowhere else.
// The words are recorded facts; __tests__/provider/wordings.ts and other-wordings.ts have them in full, with whose they are.

/** What a request that is too long for the model's window is called. */
const overflows: readonly RegExp[] = [
  // OpenAI, Azure, vLLM, DeepSeek, OpenRouter, Together, xAI, Mistral, Fireworks, SGLang
  /maximum (allowed )?(context|prompt|model|input|sequence) length/i,
  /maximum number of input tokens/i,
  // a code as text, llama.cpp, LiteLLM, OpenAI, MiniMax, Anthropic with max_tokens
  /context[ _-]?(length|window|size|limit)\w*[^.]{0,80}exceed/i,
  /exceed\w*[^.]{0,80}(context[ _-]?(length|window|size|limit)|max(imum)? context|max_seq_len)/i,
  // Anthropic, Bedrock, Ollama, Fireworks, vLLM
  /\b(prompt|input|conversation|messages?)( tokens?| length)?( \([^)]{0,40}\))? (is |are )?too (long|large)\b/i,
  // Gemini, OpenAI (Responses), Copilot, Bedrock, SGLang, z.ai, Kiro
  /\b(input|prompt)( token count| tokens?|( content)? length)\b[^.]{0,60}\bexceed/i,
  /\binput exceeds the max(imum)? input token/i,
  /\bprompt exceeds max length/i,
  // Groq, Cerebras
  /reduce the length of (the|your) (messages|prompt|input)/i,
  // vLLM, SGLang, llama.cpp
  /(longer|larger) than the (model'?s |max(imum)? )*(context|model) (length|size|window)/i,
  // LM Studio, exllama, SiliconFlow
  /(greater than|reached|loaded with)( the)? (context length|max_seq_len)/i,
  /\bmust be less than( or equal to)? max_seq_len\b/i,
  /context (the )?overflow/i,
  // Moonshot, Qwen, Cohere, TGI and Together, Databricks
  /exceeded model token limit/i,
  /range of input length should be/i,
  /\btotal (number of )?tokens\b[^.]{0,80}(cannot exceed|exceeds? the model)/i,
  /too many tokens: size limit exceeded/i,
  /`inputs` (must have less than|tokens \+ `max_new_tokens`)/i,
  /too many total text bytes/i,
  // Vertex, Ark, gateways
  /\binput token count is \d+ but\b/i,
  /\btotal tokens of image and text exceed/i,
  /context (window|length) is \S{1,20} tokens, you requested/i,
  // vLLM, of the room that it finds itself for an answer
  /max_(completion_)?tokens must be at least 1, got -\d/i,
  // OpenAI, of one message
  /messages\[\d+\]\.content'?: string too long/i,
];

/** What is too long, but no request: an answer's limit alone, a field that no compaction makes shorter, what a filter reads. */
const otherLengths: readonly RegExp[] = [
  /(?<!\band `?)\bmax_(completion_|output_|new_)?tokens`?( \(\d+\))? exceeds? /i,
  /^\W*(tools?|functions?|metadata|user|stop|response_format)\b/i,
  /\bcontent (filter|moderation)/i,
];

/** What is said to whoever asks too often. It speaks of tokens and limits as well (G2-22). */
const throttlings: readonly RegExp[] = [
  /rate[ _-]?limit/i,
  /too many requests/i,
  /throttl/i,
  /too many tokens, please wait/i,
  /\b(tokens|requests|calls) ?(per|\/) ?(second|min|minute|hour|day)/i,
  /(?<![a-z])per[-_ ]minute(?![a-z])/i,
  /\b(TPM|RPM|TPD|RPD)\b/,
  /max(imum)? (organization |request )?concurrency/i,
  /resource (has been |_)?exhausted/i,
];

/** What is said to whoever has not paid: no waiting helps. */
const unpaid: readonly RegExp[] = [
  /credit balance is too low/i,
  /insufficient[ _](balance|credits?|funds|quota)/i,
  /(run|ran) out of credits|used all (of your )?(available )?credits|requires more credits/i,
  /\barrearage\b/i,
  /exceeded_current_quota/i,
  /balance is insufficient|overdue balance|余额不足/i,
  /billing hard limit|budget has been exceeded|reached your specified (API )?usage limits/i,
  /\bspend(ing)? (limit|cap)\b/i,
  /\bcredits (are|have been) (depleted|exhausted)/i,
];

/** Statuses that are given to a request which is too long: of 500 llama.cpp's, none in a stream. */
const overflowStatuses: readonly (number | undefined)[] = [400, 413, 422, 500, undefined];

/** Whether a refused request is said to be too long. Never a throttled one: its wording is similar (G2-22). */
export function isOverflow(status: number | undefined, text: string): boolean {
  return overflowStatuses.includes(status) && !isThrottling(text) && !says(otherLengths, text) && says(overflows, text);
}

/** Whether the words are those for asking too often. */
export function isThrottling(text: string): boolean {
  return says(throttlings, text);
}

/** Whether the words are those for an account without credit. */
export function isUnpaid(text: string): boolean {
  return says(unpaid, text);
}

/** Whether one request alone is more than the account may send in a minute (a day): it would be refused for ever. */
export function isTooLargeForRate(text: string): boolean {
  const [, limit, requested] =
    /\blimit:? ~?(\d+)\b.*?\brequested:? ~?(\d+)/i.exec(text.replaceAll(/(\d),(?=\d{3}\b)/g, '$1')) ?? [];
  return Number(requested) > Number(limit);
}

function says(wordings: readonly RegExp[], text: string): boolean {
  return wordings.some((wording) => wording.test(text));
}
