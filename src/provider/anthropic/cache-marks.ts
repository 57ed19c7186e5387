// Where the prompt cache's breakpoints stand: at most four, on whole blocks, never in what changes from turn to turn.
import type { ContentBlockParam, MessageParam, TextBlockParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import type { PlacedBlock, Turn } from './convert-messages.ts';

const mark = { cache_control: { type: 'ephemeral' } } as const;

/** The request's three cacheable parts. */
export interface MarkedRequest {
  readonly system: readonly TextBlockParam[];
  readonly tools: readonly Tool[];
  readonly messages: readonly MessageParam[];
}

/**
 * Marks the end of tools and system (one prefix), the last block before the tail, and the last block of the user turn before it: that is
 * where the previous request's mark stood, so its prefix is found however many blocks one turn brought (the API looks back 20 only).
 */
export function markCache(
  request: { readonly system: readonly TextBlockParam[]; readonly tools: readonly Tool[]; readonly turns: readonly Turn[] },
  tailStart: number,
): MarkedRequest {
  const { system, tools, turns } = request;
  const ends = turns.flatMap((turn) =>
    turn.role === 'user' ? turn.blocks.filter((placed) => canMark(placed, tailStart)).slice(-1) : [],
  );
  const marked = new Set(ends.slice(-2));
  return {
    system: system.map((block, index) => (index === system.length - 1 ? { ...block, ...mark } : block)),
    tools: tools.map((tool, index) => (index === tools.length - 1 ? { ...tool, ...mark } : tool)),
    messages: turns.map(({ role, blocks }) => ({
      role,
      content: blocks.map((placed) => (marked.has(placed) ? { ...placed.block, ...mark } : placed.block) as ContentBlockParam),
    })),
  };
}

/** Results, texts and pictures take a mark; thinking and other vendors' blocks do not (G3-13). */
function canMark({ block, source }: PlacedBlock, tailStart: number): boolean {
  return source < tailStart && ['text', 'image', 'tool_result'].includes(block.type);
}
