// From the indentation that the model believes in to the file's own. Pure. Says undefined rather than guess.
import type { NewLine } from './changes.ts';
import type { IndentPair, IndentPairs } from './indent-pairs.ts';
import { countOf } from './places.ts';

/** The file's indentation for a new line. */
export type IndentMap = (each: NewLine) => string | undefined;

/**
 * `content` tells what the file's other lines are like. The map
 * knows an indentation where all that the old lines tell of it is the same.
 */
export function createIndentMap(content: string, pairs: IndentPairs): IndentMap {
  const [first, ...rest] = pairs.filter((pair) => pair !== undefined);
  const others = distinct(rest);
  const known = first === undefined ? [] : [first, ...others];
  if (known.every(({ old, file }) => old === file)) return ({ line }) => line.indent;
  // The first line is the one whose indentation is most often lost, or wrong: what all lines tell counts, and what the others do without it.
  const isLost = first?.old === '' && others.some(({ old }) => old === '');
  const views = isLost ? [others] : [known, others];
  return (each) => {
    const told = onlyOne(views.flatMap((view) => toldBy(view, each.line.indent)));
    return told === undefined ? nearest(each, pairs) : inFilesWay(content, known, told);
  };
}

/** Most of a thousand lines say the same. */
function distinct(pairs: readonly IndentPair[]): readonly IndentPair[] {
  return [...new Map(pairs.map((pair) => [`${pair.old}\n${pair.file}`, pair])).values()];
}

/** What lines with this indentation have in the file; where there are none, what it becomes when it moves as all of them do. */
function toldBy(view: readonly IndentPair[], indent: string): readonly string[] {
  const seen = view.filter(({ old }) => old === indent);
  if (seen.length > 0) return seen.map(({ file }) => file);
  const moved = onlyOne([moveIn, moveOut, scale].flatMap((way) => way(indent, view) ?? []));
  return moved === undefined ? [] : [moved];
}

function onlyOne(texts: readonly string[]): string | undefined {
  const [one, ...others] = new Set(texts);
  return others.length === 0 ? one : undefined;
}

/** A line that begins or ends a block: what is around it moves with it, and where that was cannot be told. */
const bounds =
  /[{([:]$|^[})\]]|\b(?:then|do|else|begin|repeat|try|loop)$|^(?:end|fi|done|esac|else|elif|elsif|except|finally|catch)\b|^<\/?[\w-]+[^>]*>$/i;

/** Where they have several: what the ones next to the place have, before it and after it alike. */
function nearest({ line, after, isAlone }: NewLine, pairs: IndentPairs): string | undefined {
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

/** All lines stand further in by the same piece. */
function moveIn(indent: string, [one, ...others]: readonly IndentPair[]): string | undefined {
  if (one?.file.endsWith(one.old) !== true) return undefined;
  const added = one.file.slice(0, one.file.length - one.old.length);
  return others.every(({ old, file }) => file === added + old) ? added + indent : undefined;
}

/** All lines, and `indent` with them, stand further out by the same piece. */
function moveOut(indent: string, [one, ...others]: readonly IndentPair[]): string | undefined {
  if (one?.old.endsWith(one.file) !== true) return undefined;
  const removed = one.old.slice(0, one.old.length - one.file.length);
  const isConstant = others.every(({ old, file }) => old === removed + file);
  return isConstant && indent.startsWith(removed) ? indent.slice(removed.length) : undefined;
}

/** All lines stand at so many times the depth, and a constant more or less: tabs for blanks, 4 for 2. */
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
