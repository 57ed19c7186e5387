// Words of a command line as the rules see them, from the parser's words: read twice, their expansions followed.
import type { Word } from 'unbash';
import { readHoles } from './expansion.ts';
import { type Piece, scanWord } from './scan-word.ts';
import { anyWords, type ShellWord } from './step.ts';
import { addUnreadable, type Walk } from './walk.ts';

/** A word, with what runs within it put into the walk. */
export function readWord(word: Word, walk: Walk): ShellWord {
  walk.leaves.push({ pos: word.pos, end: word.end, kind: 'word' });
  return readPart(word, walk);
}

/** A word that is a part of something else: a target, the value of an assignment. */
export function readPart(word: Pick<Word, 'text' | 'pos' | 'end' | 'parts'>, walk: Walk): ShellWord {
  const pieces = readPieces(word, walk);
  return pieces === undefined ? { ...anyWords, text: word.text } : toWord(word.text, pieces);
}

/** Whether a word is nothing but `<(…)` or `>(…)`. */
export function isProcess(word: Word): boolean {
  const [part, ...more] = word.parts ?? [];
  return part?.type === 'ProcessSubstitution' && more.length === 0 && part.text === word.text;
}

/** The pieces of `word`; undefined when it cannot be read, which the walk then knows. */
function readPieces(word: Pick<Word, 'text' | 'pos' | 'end' | 'parts'>, walk: Walk): readonly Piece[] | undefined {
  if (walk.source.slice(word.pos, word.end) !== word.text) {
    addUnreadable(walk, word.text, 'a word is not where it seems to be');
    return undefined;
  }
  const scan = scanWord(word, 'word');
  if (!scan.isRead) {
    addUnreadable(walk, word.text, scan.problem);
    return undefined;
  }
  readHoles(scan.pieces, walk);
  return scan.pieces;
}

function toWord(text: string, pieces: readonly Piece[]): ShellWord {
  const firstHole = pieces.findIndex(({ kind }) => kind === 'hole');
  const known = firstHole === -1 ? pieces : pieces.slice(0, firstHole);
  const prefix = known.map((piece) => (piece.kind === 'text' ? piece.value : '')).join('');
  const isMany = pieces.some((piece) => piece.kind === 'hole' && piece.isMany);
  const isSplit = pieces.some((piece) => piece.kind === 'hole' && piece.isMany && piece.part !== undefined);
  return { text, value: firstHole === -1 ? prefix : undefined, prefix, isMany, isSplit };
}
