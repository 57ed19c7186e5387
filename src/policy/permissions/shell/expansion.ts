// The expansions in a word: which are harmless, which run commands, and which cannot be told. Their scripts are handed back to the walk.
import type { CommandExpansionPart, ParameterExpansionPart, WordPart } from 'unbash';
import { readArithmetic } from './arithmetic.ts';
import { type Piece, type Scanned, scanWord } from './scan-word.ts';
import { type Doubt, unreadable } from './step.ts';
import { addDoubt, addValue, type Walk } from './walk.ts';

const unusual = unreadable('it is written in an unusual way');

/** Reads one expansion, and everything within it. */
function readExpansion(part: WordPart, walk: Walk): void {
  const doubt = readWithin(part, walk);
  if (doubt !== undefined) addDoubt(walk, 'text' in part ? part.text : '', doubt);
}

/** The expansions among the pieces of a word. */
export function readHoles(pieces: readonly Piece[], walk: Walk): void {
  for (const piece of pieces) if (piece.kind === 'hole' && piece.part !== undefined) readExpansion(piece.part, walk);
}

function readWithin(part: WordPart, walk: Walk): Doubt | undefined {
  switch (part.type) {
    case 'AnsiCQuoted':
      return undefined;
    case 'SimpleExpansion':
      return /^\$(?:[A-Za-z_]\w*|[0-9@*#?$!_-])$/.test(part.text) ? undefined : unusual;
    case 'ParameterExpansion':
      return readParameter(part, walk);
    case 'CommandExpansion':
      return readCommandExpansion(part, walk);
    case 'ArithmeticExpansion': {
      const inner = /^\$\(\(([\s\S]*)\)\)$/.exec(part.text) ?? /^\$\[([\s\S]*)\]$/.exec(part.text);
      if (inner?.[1] === undefined) return unusual;
      readArithmetic(inner[1], walk);
      return undefined;
    }
    case 'ProcessSubstitution':
      if (!/^[<>]\([\s\S]*\)$/.test(part.text)) return unusual;
      walk.nest(part.script, part.pos + 2, part.end - 1);
      return undefined;
    default:
      return unreadable('it is of a kind that is not known');
  }
}

function readCommandExpansion({ text, script, pos, end }: CommandExpansionPart, walk: Walk): Doubt | undefined {
  const isOld = text.startsWith('`');
  // A backslash in backquotes takes one round of unquoting before the rest is read.
  if (isOld && !/^`[^`\\]*`$/.test(text)) return unreadable('there is a backslash in backquotes: write $(…)');
  // `${ cmd; }` is of newer shells, `$((` begins arithmetic where that is possible.
  if (!isOld && !/^\$\((?!\()[\s\S]*\)$/.test(text)) return unreadable('write $( … ), with a blank before a parenthesis');
  walk.nest(script, pos + (isOld ? 1 : 2), end - 1);
  return undefined;
}

const subscript = String.raw`(?:\[(?:[@*]|\d+)\])?`;
const special = '\'"\\\\$`{}()<>|&;~';
const literal = `[^${special}]*`;
const unslashed = `[^${special}/]*`;
const operation = String.raw`:?[-+?]${literal}|##?${literal}|%%?${literal}|//?[#%]?${unslashed}(?:/${literal})?|:\s?-?\d+(?::-?\d+)?|\^\^?|,,?`;
/** Of `${…}`: all that is no more than it seems. */
const plainParameter = new RegExp(
  String.raw`^\$\{(?:#?(?:[A-Za-z_]\w*${subscript}|\d+|[@*#?$!-])(?:${operation})?|![A-Za-z_]\w*(?:\[[@*]\]|[@*]))\}$`,
);

function readParameter(part: ParameterExpansionPart, walk: Walk): Doubt | undefined {
  const { text, index, operation, parameter } = part;
  if (plainParameter.test(text)) return undefined;
  if (operation?.type === 'Default' && part.prefix === undefined && index === undefined) {
    return readDefault(text, { parameter, operator: operation.operator, operand: operation.operand }, walk);
  }
  const key = /^\$\{#?[A-Za-z_]\w*\[([^[\]]+)\]\}$/.exec(text)?.[1];
  if (key === undefined)
    return { level: 'anything', why: 'this expansion can run what a variable holds, or is too odd to be sure' };
  readArithmetic(key, walk);
  return undefined;
}

interface Default {
  readonly parameter: string;
  readonly operator: string;
  readonly operand: Scanned;
}

/** `${x:-…}` with expansions of its own; `${x:=…}` sets the variable. */
function readDefault(text: string, { parameter, operator, operand }: Default, walk: Walk): Doubt | undefined {
  const scan = scanWord(operand, 'operand');
  const isWhole = text === `\${${parameter}${operator}${operand.text}}` && /^(?:[A-Za-z_]\w*|\d+|[@*])$/.test(parameter);
  if (!isWhole || !scan.isRead) return unreadable('write the expansion without quotes and braces in it');
  readHoles(scan.pieces, walk);
  if (!operator.endsWith('=')) return undefined;
  addValue(walk, parameter, false);
  return { level: 'uncovered', why: 'it sets a variable' };
}
