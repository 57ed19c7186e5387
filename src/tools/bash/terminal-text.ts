// What a terminal's text says once it has been shown: escape sequences gone, redrawn lines in their last state (G5-08). Streaming.

/** A line without an end is passed on at this length; redraws beyond it are not collapsed. */
const maxPendingChars = 64 * 1024;
/** An escape sequence longer than this is none. */
const maxEscapeChars = 4096;

const esc = '\u001b';
// CSI, OSC and the other strings (ended by BEL or ST), two-character sequences; then the one-character controls but tab, LF and CR.
const sequences = new RegExp(
  `${esc}\\[[0-?]*[ -/]*[@-~]|${esc}[\\]PX^_][^\\u0007${esc}]*(?:\\u0007|${esc}\\\\)|${esc}[ -/]*[0-Z\\\\^_\`-~]`,
  'g',
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const controls = /[\u0000-\u0007\u000b\u000c\u000e-\u001f\u007f\u0080-\u009f]/g;
const unfinishedSequence = new RegExp(`${esc}(?:\\[[0-?]*[ -/]*|[\\]PX^_][^\\u0007${esc}]*${esc}?|[ -/]*)$`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the fast path asks whether there is any
const anyControl = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Cleans one stream, piece by piece. */
export class TerminalText {
  #pending = '';

  /** The lines that are finished with `text`; the rest waits, since a redraw may follow. */
  add(text: string): string {
    const all = this.#pending + text;
    const end = all.lastIndexOf('\n') + 1;
    const rest = all.slice(end);
    if (rest.length <= maxPendingChars) {
      this.#pending = collapse(rest);
      return clean(all.slice(0, end));
    }
    const unfinished = unfinishedSequence.exec(rest.slice(-maxEscapeChars))?.[0] ?? '';
    this.#pending = unfinished;
    return clean(all.slice(0, all.length - unfinished.length));
  }

  /** What still waits. */
  end(): string {
    const rest = this.#pending.replace(unfinishedSequence, '');
    this.#pending = '';
    return clean(rest);
  }
}

/** Of an unfinished line only what follows its last redraw can still be seen; a carriage return at the very end may belong to a CRLF. */
function collapse(line: string): string {
  const redraw = line.lastIndexOf('\r', line.length - 2);
  return redraw === -1 ? line : line.slice(redraw + 1);
}

function clean(text: string): string {
  if (!anyControl.test(text)) return text;
  return text
    .replace(sequences, '')
    .split('\n')
    .map((line) => eraseBackwards(lastDrawn(line)).replace(controls, ''))
    .join('\n');
}

function lastDrawn(line: string): string {
  if (!line.includes('\r')) return line;
  return line.split('\r').findLast((state) => state !== '') ?? '';
}

/** `a\bb` shows `b`, as man pages and spinners use it. */
function eraseBackwards(line: string): string {
  if (!line.includes('\b')) return line;
  const shown: string[] = [];
  for (const character of line) {
    if (character === '\b') shown.pop();
    else shown.push(character);
  }
  return shown.join('');
}
