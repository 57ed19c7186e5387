// Numbers as people read them; pure.

/** `48 s`, `1 m 12 s`, `2 h 5 m`. */
export function renderDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} m`;
}

/** `950 tokens`, `41 k tokens`, `1.2 M tokens`. */
export function renderTokens(tokens: number): string {
  if (tokens < 1000) return count(tokens, 'token');
  return tokens < 999_500 ? `${Math.round(tokens / 1000)} k tokens` : `${(tokens / 1_000_000).toFixed(1)} M tokens`;
}

/** `2,940`. */
export function renderNumber(number: number): string {
  return number.toLocaleString('en-US');
}

/** `1 file`, `3 files`, `2,940 files`. */
export function count(number: number, noun: string): string {
  return `${renderNumber(number)} ${noun}${number === 1 ? '' : 's'}`;
}
