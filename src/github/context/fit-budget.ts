// Owns what of the context fits its budgets: within a part the newest is kept, among parts the most important; how much is not is said (G1-22). Pure.
import { cutAtLine } from '../../schema/cut-at-line.ts';
import type { LoadedItem, Section } from './section.ts';

export interface Fitted<T> {
  readonly kept: readonly T[];
  readonly dropped: number;
}

/** The newest of `groups` (oldest first) whose texts have at most `maxBytes` together; the very newest always stays. */
export function keepNewest<T extends readonly { readonly text: string }[]>(groups: readonly T[], maxBytes: number): Fitted<T> {
  const from = Math.min(firstThatFits(groups, maxBytes), Math.max(0, groups.length - 1));
  return { kept: groups.slice(from), dropped: from };
}

function firstThatFits(groups: readonly (readonly { readonly text: string }[])[], maxBytes: number): number {
  let bytes = 0;
  const tooMuch = groups.findLastIndex((group) => {
    bytes += bytesOf(group);
    return bytes > maxBytes;
  });
  return tooMuch + 1;
}

function bytesOf(group: readonly { readonly text: string }[]): number {
  return group.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

/** A part of the whole. `name`: what its groups are called, for those that are missing. */
export interface Part extends Section {
  readonly name: string;
  /** Of two parts the one with the lower number has its room first. */
  readonly importance: number;
}

/** Less of a text than this says nothing. */
const leastBytes = 1_024;

/** The parts in their order, with at most `maxBytes` of text together; what had no room is said of each. */
export function fitWhole(parts: readonly Part[], maxBytes: number): readonly Section[] {
  let room = maxBytes;
  const fitted = new Map<Part, Section>();
  for (const part of parts.toSorted((left, right) => left.importance - right.importance)) {
    const section = fitPart(part, room);
    room -= section.groups.reduce((sum, group) => sum + bytesOf(group), 0);
    fitted.set(part, section);
  }
  return parts.map((part) => fitted.get(part) ?? part);
}

function fitPart({ groups, omitted, name }: Part, room: number): Section {
  const from = firstThatFits(groups, room);
  if (from === 0) return { groups, omitted };
  const kept = groups.slice(from);
  const cut = kept.length === 0 ? cutGroup(groups.at(-1) ?? [], room) : null;
  const dropped = cut === null ? from : from - 1;
  const missing = dropped === 0 ? [] : [`${describe(dropped, groups.length, name)}, for the size of the whole`];
  return { groups: cut === null ? kept : [cut], omitted: [...omitted, ...missing] };
}

function describe(dropped: number, all: number, name: string): string {
  return dropped === all ? `the ${name}` : `the ${dropped} oldest of ${all} ${name}`;
}

/** The beginning of a lone text that is larger than all the room there is. */
function cutGroup([item, ...others]: readonly LoadedItem[], room: number): readonly LoadedItem[] | null {
  if (item === undefined || others.length > 0 || room < leastBytes) return null;
  const text = cutAtLine(item.text, room);
  const note = `cut after ${text.length} of ${item.text.length} characters, for the size of the whole`;
  return [{ ...item, text, notes: [...item.notes, note] }];
}
