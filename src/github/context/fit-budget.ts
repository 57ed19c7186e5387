// Owns what of a list of texts fits a budget: the newest are kept, and how many are not is said (G1-22). Pure.

export interface Fitted<T> {
  readonly kept: readonly T[];
  readonly dropped: number;
}

/** The newest of `items` (oldest first) whose texts have at most `maxBytes` together; the very newest always stays. */
export function keepNewest<T extends { readonly text: string }>(items: readonly T[], maxBytes: number): Fitted<T> {
  let bytes = 0;
  const firstKept = items.findLastIndex((item) => {
    bytes += Buffer.byteLength(item.text);
    return bytes > maxBytes;
  });
  const from = Math.min(firstKept + 1, Math.max(0, items.length - 1));
  return { kept: items.slice(from), dropped: from };
}
