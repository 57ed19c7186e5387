// Puts the fragments of streamed tool calls together, whatever a server does with index, id and name; knows no vendor.
import { argumentsOf, type ToolCall } from '../schema/message.ts';
import { parseJson } from '../schema/parse-json.ts';

/** One delta as it came; everything may be missing. `arguments` is text to append, or the whole object (G2-04). */
export interface ToolCallFragment {
  readonly index?: number | null | undefined;
  readonly id?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly arguments?: unknown;
  /** What only the server understands; it comes once, with the call or after it. */
  readonly extra?: unknown;
}

interface Slot {
  index: number | undefined;
  id: string;
  name: string;
  text: string;
  extra: unknown;
}

/** Collects the calls of one answer. */
export class ToolCallAccumulator {
  readonly #slots: Slot[] = [];

  /** Takes one fragment in. */
  add(fragment: ToolCallFragment): void {
    const slot = this.#find(fragment) ?? this.#open(fragment);
    slot.index ??= fragment.index ?? undefined;
    slot.id ||= fragment.id ?? '';
    slot.name ||= fragment.name ?? '';
    slot.text = withArguments(slot.text, argumentText(fragment.arguments));
    slot.extra = fragment.extra ?? slot.extra;
  }

  /**
   * The calls in order. One without a name cannot be run and is left out (G2-14). A missing or repeated id becomes `call_<position>`, which
   * is unique within the answer and the same on a replay; within a history whoever keeps one sees to it.
   */
  finish(): readonly ToolCall[] {
    const named = this.#named();
    const taken = new Set(named.map(({ id }) => id));
    return named.map(({ id, name, text }, position) => {
      const isOwn = id !== '' && named.findIndex((slot) => slot.id === id) === position;
      const call = { id: isOwn ? id : freeId(position + 1, taken), name, arguments: text.trim() === '' ? '{}' : text };
      taken.add(call.id);
      return call;
    });
  }

  /** Whether the arguments of a call have not come, or not to their end. */
  get hasHalfCall(): boolean {
    return this.#slots.some(({ text }) => parseJson(text) === undefined);
  }

  /** What came with each of the calls of `finish`, by position; empty when nothing did with any. */
  extras(): readonly unknown[] {
    const extras = this.#named().map(({ extra }) => extra ?? null);
    return extras.every((extra) => extra === null) ? [] : extras;
  }

  #named(): readonly Slot[] {
    return this.#slots
      .map((slot, position) => ({ slot, order: slot.index ?? position }))
      .sort((a, b) => a.order - b.order)
      .map(({ slot }) => slot)
      .filter(({ name }) => name !== '');
  }

  #open(fragment: ToolCallFragment): Slot {
    const slot: Slot = { index: fragment.index ?? undefined, id: '', name: '', text: '', extra: undefined };
    this.#slots.push(slot);
    return slot;
  }

  /** The call that the fragment continues, or undefined when it starts one. */
  #find(fragment: ToolCallFragment): Slot | undefined {
    const { index } = fragment;
    const isIndexed = typeof index === 'number';
    const ofIndex = isIndexed ? this.#slots.filter((slot) => slot.index === index) : [];
    const unindexed = isIndexed ? this.#slots.filter((slot) => slot.index === undefined) : this.#slots;
    const candidates = ofIndex.length > 0 ? ofIndex : unindexed;
    const own = fragment.id ? candidates.findLast((slot) => slot.id === fragment.id) : undefined;
    if (own !== undefined) return own;
    const atPlace = ofIndex.length > 0 ? undefined : unindexed.find((slot) => slot === this.#slots[index ?? -1]);
    const latest = atPlace ?? candidates.at(-1);
    return latest !== undefined && startsAnother(latest, fragment) ? undefined : latest;
  }
}

function freeId(position: number, taken: ReadonlySet<string>): string {
  let id = `call_${position}`;
  while (taken.has(id)) id += '_';
  return id;
}

/**
 * Another id with a name starts a call (G2-05); so does another name, or the same one again once the arguments are complete (G2-06). Without
 * a name no call could be run: another id is then the same call's, which servers make up anew for each fragment (poolsideai/pool#9).
 */
function startsAnother(slot: Slot, { id, name, arguments: more }: ToolCallFragment): boolean {
  const hasOtherId = Boolean(id) && slot.id !== '' && id !== slot.id;
  // Arguments begin with a brace: of other pieces nobody needs to read all that came before them.
  const beginsAnew = () => isBeginning(argumentText(more)) && parseJson(slot.text) !== undefined;
  if (!name) return hasOtherId && beginsAnew();
  return hasOtherId || (slot.name !== '' && (name !== slot.name || beginsAnew()));
}

/**
 * `text`, and one more piece of it. Some servers begin with an empty object before the arguments come (BerriAI/litellm#4537), or say complete
 * ones once more (lidge-jun/opencodex#361).
 */
export function withArguments(text: string, piece: string): string {
  if (text === '{}' && isBeginning(piece)) return piece;
  return piece === text && argumentsOf({ arguments: text }) !== undefined ? text : text + piece;
}

function isBeginning(piece: string): boolean {
  return piece.trimStart().startsWith('{');
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
