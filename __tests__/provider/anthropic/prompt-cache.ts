// The vendor's prompt cache, simulated: a prefix is written where a breakpoint stands, and found from one up to 20 blocks before it.
import { createHash } from 'node:crypto';
import type { StrictRequest } from './strict-shape.ts';

/** How many blocks the vendor looks at from each breakpoint on, that one included. */
const lookBack = 20;

/** Tokens of a request's input, by what became of them. */
export interface CacheUsage {
  readonly read: number;
  readonly written: number;
  readonly plain: number;
}

interface Block {
  /** Stands for everything up to and with this block. */
  readonly prefix: string;
  readonly tokens: number;
  readonly isMarked: boolean;
}

export class PromptCache {
  readonly #written = new Set<string>();

  /** Looks a request up, and keeps what it marks. */
  use(request: StrictRequest): CacheUsage {
    const blocks = blocksOf(request);
    const marks = [...blocks.entries()].flatMap(([index, { isMarked }]) => (isMarked ? [index] : []));
    const hits = marks.flatMap((mark) =>
      Array.from({ length: lookBack }, (_, back) => mark - back).filter((at) => this.#written.has(blocks[at]?.prefix ?? '')),
    );
    for (const mark of marks) this.#written.add(blocks[mark]?.prefix ?? '');
    const [read, upTo, all] = [Math.max(-1, ...hits), marks.at(-1) ?? -1, blocks.length - 1].map((last) =>
      tokensUpTo(blocks, last),
    );
    return {
      read: read ?? 0,
      written: Math.max(0, (upTo ?? 0) - (read ?? 0)),
      plain: (all ?? 0) - Math.max(upTo ?? 0, read ?? 0),
    };
  }
}

function tokensUpTo(blocks: readonly Block[], last: number): number {
  return blocks.slice(0, last + 1).reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Tools, then the system prompt, then the messages; how a model may answer is a part of the messages' prefix. */
function blocksOf({
  tools = [],
  system = [],
  messages,
  tool_choice: choice,
  thinking,
  output_config: output,
}: StrictRequest): Block[] {
  const parts = [
    ...tools.map((tool) => ({ block: tool, before: '' })),
    ...system.map((text) => ({ block: text, before: '' })),
    ...messages.flatMap(({ role, content }, index) =>
      content.map((block, at) => ({
        block,
        before: at > 0 ? '' : role + (index === 0 ? JSON.stringify([choice, thinking, output?.format]) : ''),
      })),
    ),
  ];
  let prefix = '';
  return parts.map(({ block, before }) => {
    const bytes = JSON.stringify(block, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
    prefix = createHash('sha256').update(`${prefix}|${before}|${bytes}`).digest('base64');
    return { prefix, tokens: Math.ceil(bytes.length / 4), isMarked: 'cache_control' in block };
  });
}
