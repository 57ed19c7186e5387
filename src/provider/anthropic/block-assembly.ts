// Puts streamed content blocks together again; by the block's own index, since text and calls share one numbering.
import { parseJson } from '../../schema/parse-json.ts';
import type { WireBlock, WireDelta } from './wire.ts';

interface Growing {
  readonly start: WireBlock;
  readonly fields: Record<string, string>;
  readonly citations: unknown[];
  json: string;
}

/** The blocks of one answer, growing. Fragments never leave it: only whole blocks do (G3-17). */
export class BlockAssembly {
  readonly #blocks = new Map<number, Growing>();

  start(index: number, block: WireBlock): void {
    this.#blocks.set(index, { start: block, fields: {}, citations: [], json: '' });
  }

  /** Takes a delta in. False when it belongs to no block. */
  add(index: number, delta: WireDelta): boolean {
    const block = this.#blocks.get(index);
    if (block === undefined) return false;
    block.json += delta.partial_json ?? '';
    for (const field of ['text', 'thinking', 'signature'] as const) {
      if (delta[field] !== undefined) block.fields[field] = (block.fields[field] ?? '') + delta[field];
    }
    if (delta.citation !== undefined) block.citations.push(delta.citation);
    return true;
  }

  /** The blocks in order, each as a blocking answer would have shown it. A call's input stays the model's raw text until it is read. */
  finish(): WireBlock[] {
    return [...this.#blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => render(block));
  }
}

function render({ start, fields, citations, json }: Growing): WireBlock {
  const grown = Object.entries(fields).map(([field, text]) => [field, `${startText(start, field)}${text}`]);
  const whole = { ...start, ...Object.fromEntries(grown), ...(citations.length === 0 ? {} : { citations }) };
  if (json.trim() === '') return whole;
  // A vendor's own call (server_tool_use) goes back as the vendor's block, so its input must be the object.
  return { ...whole, input: start.type === 'tool_use' ? json : (parseJson(json) ?? {}) };
}

function startText(start: WireBlock, field: string): string {
  const value = start[field];
  return typeof value === 'string' ? value : '';
}
