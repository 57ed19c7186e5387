// From the indentation that the model believes in to the file's own. Pure. Says undefined rather than guess.
import type { NewLine } from './changes.ts';
import { countOf } from './places.ts';

/** The indentation of a line in old_string and in the file. */
export interface IndentPair {
  readonly old: string;
  readonly file: string;
}

/** The file's indentation for a new line. */
export type IndentMap = (each: NewLine) => string | undefined;

/** `pairs` by index of the old line; undefined where a line has none of its own. `content` tells what the file's other lines are like. */
export function createIndentMap(content: string, pairs: readonly (IndentPair | undefined)[]): IndentMap {
  const known = pairs.filter((pair) => pair !== undefined);
  if (known.every(({ old, file }) => old === file)) return ({ line }) => line.indent;
  // The first line is the one whose indentation is most often lost, or wrong: it counts when there is no other.
  const [first, ...others] = known;
  const rest = others.length > 0 ? others : first === undefined ? [] : [first];
  return (each) => {
    const { indent } = each.line;
    const seen = known.some(({ old }) => old === indent);
    if (!seen) return inFilesWay(content, known, same(extrapolate(indent, known), extrapolate(indent, rest)));
    // The first line's alone: it may be lost, and what the others say may be something else.
    if (!rest.some(({ old }) => old === indent)) return same(agreed(indent, known), extrapolate(indent, rest));
    const counted = first?.old === '' ? rest : known;
    return agreed(indent, counted) ?? nearest(each, pairs);
  };
}

/** What both say, or the one that says something. */
function same(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || other === undefined || one === other ? (one ?? other) : undefined;
}

/** What lines with this indentation have in the file, when they agree. */
function agreed(indent: string, pairs: readonly IndentPair[]): string | undefined {
  const found = new Set(pairs.filter(({ old }) => old === indent).map(({ file }) => file));
  return found.size === 1 ? [...found][0] : undefined;
}

/** A line that begins or ends a block: what is around it moves with it, and where that was cannot be told. */
const bounds =
  /[{([:]$|^[})\]]|\b(?:then|do|else|begin|repeat|try|loop)$|^(?:end|fi|done|esac|else|elif|elsif|except|finally|catch)\b|^<\/?[\w-]+[^>]*>$/i;

/** When they do not, what the ones next to the place have, before it and after it alike; several lines may have been at several depths. */
function nearest({ line, after, isAlone }: NewLine, pairs: readonly (IndentPair | undefined)[]): string | undefined {
  if (!isAlone || bounds.test(line.body)) return undefined;
  const isLike = (pair: IndentPair | undefined) => pair?.old === line.indent;
  const before = pairs.slice(0, after + 1).findLast(isLike)?.file;
  const next = pairs.slice(after + 1).find(isLike)?.file;
  return before === next ? before : undefined;
}

/** `indent`, unless it mixes tabs and blanks, which neither the place does nor, more often than not, the file. */
function inFilesWay(content: string, pairs: readonly IndentPair[], indent: string | undefined): string | undefined {
  if (indent === undefined || unitOf([indent]) !== undefined || pairs.some(({ file }) => unitOf([file]) === undefined))
    return indent;
  const plain = indent.replace(/ +$/, '\t');
  return countOf(content, `\n${indent}`) > countOf(content, `\n${plain}`) ? indent : undefined;
}

/** Indentation that no old line has: moved as all of them are, by a constant piece or by a factor (tabs for spaces, 4 for 2). */
function extrapolate(indent: string, pairs: readonly (IndentPair | undefined)[]): string | undefined {
  const known = pairs.filter((pair) => pair !== undefined);
  return same(shift(indent, known), scale(indent, known));
}

function shift(indent: string, pairs: readonly IndentPair[]): string | undefined {
  const [one] = pairs;
  if (one === undefined) return undefined;
  if (one.file.endsWith(one.old)) {
    const added = one.file.slice(0, one.file.length - one.old.length);
    if (pairs.every(({ old, file }) => file === added + old)) return added + indent;
  }
  if (!one.old.endsWith(one.file)) return undefined;
  const removed = one.old.slice(0, one.old.length - one.file.length);
  const isConstant = pairs.every(({ old, file }) => old === removed + file);
  return isConstant && indent.startsWith(removed) ? indent.slice(removed.length) : undefined;
}

function scale(indent: string, pairs: readonly IndentPair[]): string | undefined {
  const oldUnit = unitOf(pairs.map(({ old }) => old).concat(indent));
  const fileUnit = unitOf(pairs.map(({ file }) => file));
  const [one, two] = distinctDepths(pairs);
  if (oldUnit === undefined || fileUnit === undefined || one === undefined) return undefined;
  // One depth alone, or a depth of nothing, says no factor; a factor below 1/8 or above 8 is none that people use.
  const other = two ?? { old: 0, file: 0 };
  if (other.old === one.old) return undefined;
  const factor = (one.file - other.file) / (one.old - other.old);
  const depthOf = (old: number) => one.file + (old - one.old) * factor;
  const depth = depthOf(indent.length);
  const fits = pairs.every(({ old, file }) => depthOf(old.length) === file.length);
  const isPlausible = factor >= 1 / 8 && factor <= 8 && Number.isInteger(depth) && depth >= 0;
  return fits && isPlausible ? fileUnit.repeat(depth) : undefined;
}

/** The one character that all of them consist of; undefined when they mix two. */
function unitOf(indents: readonly string[]): string | undefined {
  const all = indents.join('');
  if (/^ *$/.test(all)) return ' ';
  return /^\t*$/.test(all) ? '\t' : undefined;
}

function distinctDepths(pairs: readonly IndentPair[]): readonly { readonly old: number; readonly file: number }[] {
  const depths = new Map(pairs.map(({ old, file }) => [old.length, file.length]));
  return [...depths].map(([old, file]) => ({ old, file }));
}
