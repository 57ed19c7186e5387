// Puts streamed content blocks together again; by the block's own index, since text and calls share one numbering.
import { parseJson } from '../../schema/parse-json.ts';
import { textField } from '../lenient.ts';
import { withArguments } from '../tool-call-accumulator.ts';
import type { WireBlock, WireDelta } from './wire.ts';

interface Growing {
  readonly index: number;
  readonly start: WireBlock;
  readonly fields: Record<string, string>;
  readonly citations: unknown[];
  json: string;
}

/** The blocks of one answer, growing. Fragments never leave it: only whole blocks do (G3-17). */
export class BlockAssembly {
  readonly #blocks: Growing[] = [];

  /** Gateways exist that give all blocks the same index: what was there under it stays. A call that is begun twice is one. */
  start(index: number, block: WireBlock): void {
    const isAgain =
      block.type === 'tool_use' && this.#blocks.some((one) => one.json === '' && isSame(one, { index, start: block }));
    if (isAgain) return;
    this.#blocks.push({ index, start: block, fields: {}, citations: [], json: '' });
  }

  /** Takes a delta in. False when it belongs to no block. */
  add(index: number, delta: WireDelta): boolean {
    const block = this.#blocks.findLast((one) => one.index === index);
    if (block === undefined) return false;
    block.json = withArguments(block.json, delta.partial_json ?? '');
    for (const field of ['text', 'thinking', 'signature'] as const) {
      const text = delta[field];
      if (typeof text === 'string') block.fields[field] = (block.fields[field] ?? '') + text;
    }
    if (delta.citation !== undefined && delta.citation !== null) block.citations.push(delta.citation);
    return true;
  }

  /** The blocks in order, each as a blocking answer would have shown it. A call's input stays the model's raw text until it is read. */
  finish(): WireBlock[] {
    return this.#blocks.toSorted((a, b) => a.index - b.index).map(render);
  }
}

function isSame(a: Pick<Growing, 'index' | 'start'>, b: Pick<Growing, 'index' | 'start'>): boolean {
  return a.index === b.index && JSON.stringify(a.start) === JSON.stringify(b.start);
}

function render({ start, fields, citations, json }: Growing): WireBlock {
  const grown = Object.entries(fields).map(([field, text]) => [field, `${textField(start, field)}${text}`]);
  const whole = { ...start, ...Object.fromEntries(grown), ...(citations.length === 0 ? {} : { citations }) };
  if (json.trim() === '') return whole;
  // A vendor's own call (server_tool_use) goes back as the vendor's block, so its input must be the object.
  return { ...whole, input: start.type === 'tool_use' ? json : (parseJson(json) ?? {}) };
}
