// OpenRouter's reasoning as a list of blocks: the pieces of a stream put together as the whole answer has them, so that they go back unchanged.
import type { WireDetail } from './wire.ts';

/** The fields that a stream sends in pieces; of all others the last one counts. */
const growing = ['text', 'summary', 'data'] as const;

/** `blocks` with one more piece: it continues the last block of its place and type, or begins one. */
export function withPiece(blocks: readonly WireDetail[], piece: WireDetail): readonly WireDetail[] {
  const at = blocks.findLastIndex((block) => continues(block, piece));
  const block = blocks[at];
  // A block without a place goes on as long as nothing else comes in between.
  if (block === undefined || (piece.index === undefined && at < blocks.length - 1)) return [...blocks, piece];
  return blocks.with(at, { ...block, ...joined(block, piece) });
}

/** What people may see of a block; an encrypted one has nothing. */
export function textOfDetail({ text, summary }: WireDetail): string {
  return [text, summary].find((value) => typeof value === 'string' && value !== '')?.toString() ?? '';
}

function continues(block: WireDetail, piece: WireDetail): boolean {
  return (
    block.type === piece.type &&
    block.index === piece.index &&
    (piece.id === undefined || piece.id === null || block.id === piece.id)
  );
}

function joined(block: WireDetail, piece: WireDetail): WireDetail {
  const news = Object.entries(piece).filter(([name, value]) => value !== null || block[name] === undefined);
  return Object.fromEntries(
    news.map(([name, value]) => {
      const before = block[name];
      const grows = growing.some((field) => field === name) && typeof before === 'string' && typeof value === 'string';
      return [name, grows ? before + value : value];
    }),
  );
}
