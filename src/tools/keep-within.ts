// An answer in lines that is not longer than it may be. Pure.

/** As many of the first lines as `maxBytes` hold with their line ends, one at least. */
export function keepWithin(lines: readonly string[], maxBytes: number): readonly string[] {
  let left = maxBytes;
  const end = lines.findIndex((line) => {
    left -= Buffer.byteLength(line) + 1;
    return left < 0;
  });
  return end === -1 ? lines : lines.slice(0, Math.max(end, 1));
}
