// What a terminal would show of a stream: its escape sequences read, wherever they are cut, and obeyed or left out (G5-08). Decodes nothing.
import { Screen } from './screen.ts';

const bell = 0x07;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const escapeByte = 0x1b;

/**
 * Bytes that are shown as they are, line feed and tab among them: text passes in whole runs. U+0080 to U+009F count as text: as sequences in one
 * character nobody uses them, and text that was decoded wrongly once is full of them.
 */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === 0x09 || byte === lineFeed || (byte >= 0x20 && byte !== 0x7f) ? 1 : 0,
);

/** Where a sequence stands: `control` is ESC [ …, `string` a title, a link and the like. */
type State = 'text' | 'escape' | 'escapeRest' | 'control' | 'string';

/**
 * What control sequences do, by their last character; colours and modes do nothing. No number is 1, but 0 for those that erase. What is
 * placed in the whole window, or clears it, begins below everything: nothing that was shown is lost.
 */
const moves: Readonly<Record<string, (screen: Screen, number: number | undefined) => void>> = {
  A: (screen, rows = 1) => screen.up(rows),
  B: (screen, rows = 1) => screen.down(rows),
  C: (screen, steps = 1) => screen.forward(steps),
  D: (screen, steps = 1) => screen.back(steps),
  E: (screen, rows = 1) => {
    screen.down(rows);
    screen.carriageReturn();
  },
  F: (screen, rows = 1) => {
    screen.up(rows);
    screen.carriageReturn();
  },
  G: (screen, column = 1) => {
    screen.carriageReturn();
    screen.forward(column - 1);
  },
  H: (screen) => screen.freshRow(),
  J: (screen, what = 0) => (what === 0 ? screen.eraseBelow() : screen.freshRow()),
  K: (screen, what = 0) => screen.eraseInRow(({ 1: 'left', 2: 'all' } as const)[what] ?? 'right'),
  d: (screen) => screen.freshRow(),
  f: (screen) => screen.freshRow(),
};

/** Cleans one stream, in pieces as they come, in bounded memory and linear time. */
export class TerminalText {
  readonly #screen: Screen;
  #state: State = 'text';
  /** Of a control sequence: its first number, undefined when there is none, and whether it is one of those that we know. */
  #number: number | undefined;
  #isNumberOver = false;
  #isPrivate = false;

  /** `pass` gets the clean text, in pieces; it must copy them. */
  constructor(pass: (text: Buffer) => void) {
    this.#screen = new Screen(pass);
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#state === 'text') {
        const end = endOfPlain(chunk, at);
        this.#screen.write(chunk, at, end);
        at = end;
      }
      // Common, and the line feed does it as well.
      if (chunk[at] === carriageReturn && chunk[at + 1] === lineFeed && this.#state === 'text') at += 1;
      else if (at < chunk.length && this.#take(chunk[at] ?? 0)) at += 1;
    }
  }

  /** No more is to come: what waits is passed on, an unfinished sequence is none. */
  end(): void {
    this.#state = 'text';
    this.#screen.end();
  }

  /** One byte that is not simply shown. False: it is to be looked at again, in the state that there is now. */
  #take(byte: number): boolean {
    switch (this.#state) {
      case 'text':
        this.#obey(byte);
        return true;
      case 'escape':
      case 'escapeRest':
        return this.#takeEscape(byte);
      case 'control':
        return this.#takeControl(byte);
      case 'string':
        return this.#takeString(byte);
    }
  }

  #obey(byte: number): void {
    switch (byte) {
      case escapeByte:
        this.#state = 'escape';
        return;
      case 0x08:
        this.#screen.back(1);
        return;
      case 0x0b:
      case 0x0c:
        this.#screen.feedLine();
        return;
      case carriageReturn:
        this.#screen.carriageReturn();
        return;
      default:
      // Nothing to be seen.
    }
  }

  #takeEscape(byte: number): boolean {
    if (byte >= 0x20 && byte <= 0x2f) {
      this.#state = 'escapeRest';
      return true;
    }
    const isWhole = byte >= 0x30 && byte <= 0x7e;
    const isAlone = this.#state === 'escape';
    this.#state = 'text';
    if (isWhole && isAlone) this.#begin(byte);
    return isWhole;
  }

  /** The sequence of ESC and `byte`; of those that are not here nothing is to be seen. */
  #begin(byte: number): void {
    const command = String.fromCharCode(byte);
    if (command === '[') {
      this.#state = 'control';
      this.#number = undefined;
      this.#isNumberOver = false;
      this.#isPrivate = false;
    } else if (']PX^_'.includes(command)) this.#state = 'string';
    else if (command === 'c') this.#screen.freshRow();
  }

  #takeControl(byte: number): boolean {
    if (byte >= 0x20 && byte <= 0x3f) {
      if (isDigit(byte)) this.#takeDigit(byte - 0x30);
      else if (byte === 0x3a || byte === 0x3b) this.#isNumberOver = true;
      else this.#isPrivate = true;
      return true;
    }
    this.#state = 'text';
    if (byte < 0x40 || byte > 0x7e) return false;
    if (!this.#isPrivate) moves[String.fromCharCode(byte)]?.(this.#screen, this.#number);
    // To another screen and back: what is shown there has no place in this one.
    else if (this.#number === 1049 || this.#number === 1047 || this.#number === 47) this.#screen.freshRow();
    return true;
  }

  #takeDigit(digit: number): void {
    if (!this.#isNumberOver) this.#number = Math.min((this.#number ?? 0) * 10 + digit, 9999);
  }

  /** Up to BEL, ST (ESC \) or any other sequence, and never beyond its line: no more is lost to one whose end was forgotten. */
  #takeString(byte: number): boolean {
    switch (byte) {
      case bell:
        this.#state = 'text';
        return true;
      case escapeByte:
        this.#state = 'escape';
        return true;
      case lineFeed:
        this.#state = 'text';
        return false;
      default:
        return true;
    }
  }
}

/** Where what is shown as it is ends. */
function endOfPlain(chunk: Buffer, from: number): number {
  let at = from;
  while (at < chunk.length && isPlain[chunk[at] ?? 0] === 1) at += 1;
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
