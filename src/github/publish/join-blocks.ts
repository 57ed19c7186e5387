// Blocks of Markdown put one under the other; pure.

/** With an empty line between them, empty ones left out. */
export function joinBlocks(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n');
}
