// The one place that knows how servers word "the request is longer than the context window" when they give no code for it.

const wordings: readonly RegExp[] = [
  /maximum context length/i,
  /context[_ ](length|window)[_ ]exceeded/i,
  /exceeds? (the )?(available |model'?s? |maximum )*context( window| length| size|\b)/i,
  /prompt (is )?too long/i,
  /input length .*exceeds?/i,
  /exceed_context_size/i,
  /exceeds max_seq_len/i,
];

/** True for a refused request (400, 413, 422) whose text says overflow. Never for a throttled one: its wording is similar (G2-22). */
export function isOverflow(status: number | undefined, text: string): boolean {
  return (status === undefined || [400, 413, 422].includes(status)) && wordings.some((wording) => wording.test(text));
}
