// old_string and new_string as lines that say something, with the blank lines between them counted. Pure; lines end in LF.

/** Copied from a page, where it stands for a plain one. */
const oddSpace = /\p{Zs}/gu;

export interface BlockLine {
  /** White space in front, odd blanks as plain ones. */
  readonly indent: string;
  /** Without white space at both ends; never empty. */
  readonly body: string;
  /** White space at the end. */
  readonly trailing: string;
  /** Blank lines between the line before, or the beginning of the block, and this one. */
  readonly blanksBefore: number;
}

export interface Block {
  readonly lines: readonly BlockLine[];
  /** Blank lines after the last line. */
  readonly blanksAfter: number;
}

/** old_string and new_string, LF only. */
export interface EditTexts {
  readonly old: string;
  readonly new: string;
}

/** The two texts of an edit as blocks of lines. */
export interface LineEdit {
  readonly old: Block;
  readonly new: Block;
  /** old_string goes up to the end of its last line, newline included. */
  readonly isClosed: boolean;
}

/** A newline at the end of old_string ends its last line and, where new_string has it too, belongs to neither. */
export function toLineEdit({ old: oldText, new: newText }: EditTexts): LineEdit {
  const isClosed = oldText.endsWith('\n');
  if (!isClosed) return { old: toBlock(oldText.split('\n')), new: toBlock(newText.split('\n')), isClosed };
  const newLines = newText === '' ? [] : withoutEnd(newText).split('\n');
  return { old: toBlock(withoutEnd(oldText).split('\n')), new: toBlock(newLines), isClosed };
}

function withoutEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

function toBlock(texts: readonly string[]): Block {
  const lines: BlockLine[] = [];
  let blanks = 0;
  for (const text of texts) {
    const body = text.trim();
    if (body === '') {
      blanks += 1;
      continue;
    }
    const start = text.length - text.trimStart().length;
    lines.push({
      indent: text.slice(0, start).replace(oddSpace, ' '),
      body,
      trailing: text.slice(start + body.length),
      blanksBefore: blanks,
    });
    blanks = 0;
  }
  return { lines, blanksAfter: blanks };
}
