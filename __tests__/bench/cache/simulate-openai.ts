// The prompt cache of an OpenAI-compatible server, simulated: it needs no marks, and keeps what it has seen in steps of some tokens.
const leastTokens = 1024;
const stepTokens = 128;
const bytesAToken = 4;

/** Tokens of the newest request, and how many of them an earlier one began with. */
export interface PrefixUsage {
  readonly read: number;
  readonly all: number;
}

/** What each of the requests reads, given as their bytes. */
export function simulatePrefixCache(requests: readonly string[]): readonly PrefixUsage[] {
  return requests.map((request, index) => {
    const before = requests.slice(0, index).map((earlier) => countSame(earlier, request));
    const same = Math.floor(Math.max(0, ...before) / bytesAToken / stepTokens) * stepTokens;
    return { read: same < leastTokens ? 0 : same, all: Math.ceil(request.length / bytesAToken) };
  });
}

/** How much both begin with. */
export function countSame(first: string, second: string): number {
  let same = 0;
  while (same < first.length && first.charCodeAt(same) === second.charCodeAt(same)) same += 1;
  return same;
}
