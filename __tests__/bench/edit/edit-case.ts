// A case: a file, a call of edit_file, and the texts that are right afterwards. They come from the edit, never from any matching.
import type { Block, BlockWish, EditedLine, EditWish } from './block.ts';
import { editLines, pickBlock, textsOf } from './block.ts';
import type { Random } from './random.ts';
import type { Language, SourceFile } from './source-file.ts';

/** What a kind makes. */
export interface EditCall {
  readonly src: string;
  readonly lang: Language;
  readonly content: string;
  readonly old: string;
  readonly new: string;
  readonly replaceAll?: boolean;
  /** `either`: refusing is as right as one of the accepted texts. */
  readonly expect: 'apply' | 'refuse' | 'either';
  /** The right texts; the first one is ideal (lines that the model left alone keep their bytes). None when it must be refused. */
  readonly accept: readonly string[];
  /** Where the edit belongs, from and to. */
  readonly region: readonly [number, number];
}

export interface KindContext {
  readonly random: Random;
  readonly file: SourceFile;
  readonly files: readonly SourceFile[];
}

/** A kind of case. `make` answers null when this file is not for it; then another one is tried. */
export interface Kind {
  readonly name: string;
  readonly group: string;
  readonly what: string;
  /** The languages of the files; null for all that sources have. */
  readonly langs: readonly Language[] | null;
  readonly make: (context: KindContext) => EditCall | null;
}

export function kind(
  { name, group, langs = null }: { readonly name: string; readonly group: string; readonly langs?: readonly Language[] | null },
  what: string,
  make: Kind['make'],
): Kind {
  return { name, group, what, langs, make };
}

/** One line as the model would write it. `made` is the line after the edit; undefined in old_string. */
export type Garble = (text: string, index: number, made: EditedLine | undefined) => string;

export interface LineCaseOptions {
  readonly file?: SourceFile;
  readonly block?: Block;
  readonly pick?: BlockWish;
  readonly edit?: EditWish;
  readonly edited?: readonly EditedLine[];
  readonly garble?: Garble;
  /** Of the lines of old_string and new_string, after `garble`. */
  readonly reshape?: (old: readonly string[], made: readonly string[]) => readonly [readonly string[], readonly string[]];
  /** Of both strings, at last. */
  readonly wrap?: (old: string, made: string) => readonly [string, string];
  /** Whether both strings end in a newline; one in four when nothing is said. */
  readonly tail?: boolean | undefined;
  /** The new lines are right also as the model wrote them. */
  readonly literalOk?: boolean;
  readonly alsoOk?: readonly ((literal: readonly string[]) => readonly string[])[];
  /** No case when old_string is there exactly. */
  readonly notExact?: boolean;
  readonly expect?: 'either';
}

/** The usual case: a block, an edit of it, and a way in which the model copied both wrongly. */
export function lineCase(context: KindContext, options: LineCaseOptions = {}): EditCall | null {
  const file = options.file ?? context.file;
  const block = options.block ?? pickBlock(context.random, file, options.pick);
  if (block === null) return null;
  const { start, end, lines } = block;
  const edited = options.edited ?? editLines(context.random, lines, file.lang, options.edit);
  if (edited === null || textsOf(edited) === lines.join('\n')) return null;
  const written = writeStrings({ file, block, edited, options, random: context.random });
  if (written === null || (options.notExact === true && file.text.includes(written.old))) return null;
  const build = (middle: readonly string[]): string => file.replace(start, end, middle).text;
  const offset = file.offsetOf(start);
  return {
    src: file.path,
    lang: file.lang,
    content: file.text,
    old: written.old,
    new: written.made,
    expect: options.expect ?? 'apply',
    accept: [
      build(edited.map(({ text }) => text)),
      ...(options.literalOk === true ? [build(written.literal)] : []),
      ...(options.alsoOk ?? []).map((lineMaker) => build(lineMaker(written.literal))),
    ],
    region: [offset, offset + lines.join('\n').length],
  };
}

interface Writing {
  readonly file: SourceFile;
  readonly block: Block;
  readonly edited: readonly EditedLine[];
  readonly options: LineCaseOptions;
  readonly random: Random;
}

/** old_string and new_string as the model writes them. null when the garbling changed nothing. */
function writeStrings({ file, block, edited, options, random }: Writing) {
  const { garble = (text) => text, reshape = (old, made) => [old, made], wrap = (old, made) => [old, made] } = options;
  const plainOld = block.lines.map((text, index) => garble(text, index, undefined));
  const plainNew = edited.map((made) => garble(made.text, made.from ?? made.like, made));
  const [oldLines, literal] = reshape(plainOld, plainNew);
  const mayEnd = block.end < file.lines.length || file.finalNewline;
  const tail = (options.tail ?? (mayEnd && random.chance(0.25))) ? '\n' : '';
  const [old, made] = wrap(oldLines.join('\n') + tail, literal.join('\n') + tail);
  const changedNothing = options.garble !== undefined && plainOld.join('\n') === block.lines.join('\n');
  return changedNothing ? null : { old, made, literal };
}

/** A call that must be refused: the file, old_string and new_string. */
export function refusal(file: SourceFile, old: string, made: string, replaceAll = false): EditCall {
  return {
    ...{ src: file.path, lang: file.lang, content: file.text, old, new: made, replaceAll },
    ...{ expect: 'refuse', accept: [], region: [0, 0] },
  };
}

/** The case with other bytes in the file: line ends, a byte order mark. */
export function mapFile(call: EditCall, change: (text: string) => string): EditCall {
  const moved = (offset: number): number => change(call.content.slice(0, offset)).length;
  return {
    ...call,
    content: change(call.content),
    accept: call.accept.map(change),
    region: [moved(call.region[0]), moved(call.region[1])],
  };
}

/** Whether a garbled line is one that the edit made, not one that it left alone. */
export function isMade(made: EditedLine | undefined): boolean {
  return made !== undefined && made.from === null;
}
