// Servers that answer in streams only: how that is told from other refusals. The asking is wire-provider.ts's.
import { ProviderError } from '../schema/stream.ts';

/** Qwen on DashScope and ModelScope, in both of their languages; gateways to services that only stream. None has a code for it. */
const wordings: readonly RegExp[] = [
  /only supports? (?:the )?stream/i,
  /non-?stream(?:ing)?\b/i,
  /\bstream\W{1,3}(?:=|is|to)? ?false/i,
  /\bstream\W{0,3}(?:must|has to|needs to|should) be (?:set to )?\W?true/i,
  /非流式/,
];

/** Whether a request for a whole answer was refused for asking for one. */
export function isStreamOnly(error: unknown): boolean {
  if (!(error instanceof ProviderError)) return false;
  const { kind, said = '' } = error.fault;
  return kind === 'bad_request' && wordings.some((one) => one.test(said));
}
