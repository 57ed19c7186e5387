// Owns what of a job's log is worth reading: the failed step's errors with what stands around them, its end, and the commands that it ran. Streams.
import { ansi } from './invisible.ts';

/** A line is kept up to here; a longer one is a file that was printed. */
const maxLineChars = 1_000;
/** Around an error, and at the end of the step. */
const linesBefore = 12;
const linesAfter = 6;
const lastLines = 40;
/** Lines kept of one log while it is read, however much matches. */
const maxKept = 1_500;

/** When the failed step ran; null: GitHub does not say. Milliseconds since 1970, ends included. */
export interface StepTimes {
  readonly from: number;
  readonly to: number;
}

export interface LogExcerpt {
  /** The interesting lines in their order, without times and colours; `…` stands where lines are left out. */
  readonly text: string;
  /** The commands of the step that failed, a line each, as the workflow has them. */
  readonly commands: readonly string[];
  /** All lines of the log. */
  readonly lines: number;
}

/** Reads a log as it comes; holds some hundred lines of it, whatever its size and the length of its lines (B12). */
export async function readLog(chunks: AsyncIterable<Uint8Array>, step: StepTimes | null, maxChars: number): Promise<LogExcerpt> {
  const ofStep = new Excerpt(step);
  const whole = step === null ? ofStep : new Excerpt(null);
  for await (const line of linesOf(chunks)) {
    ofStep.add(line);
    if (whole !== ofStep) whole.add(line);
  }
  // A failure outside the step's times only: they were taken by another clock.
  return (whole.hasFailed() && !ofStep.hasFailed() ? whole : ofStep).end(maxChars);
}

/** Whole lines of UTF-8, each cut at `maxLineChars`. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let open = '';
  for await (const chunk of chunks) {
    const pieces = decoder.decode(chunk, { stream: true }).split('\n');
    const rest = pieces.pop() ?? '';
    for (const piece of pieces) {
      yield (open + piece.slice(0, maxLineChars + 1)).slice(0, maxLineChars);
      open = '';
    }
    // What is over the limit is dropped as it comes.
    open = (open + rest.slice(0, maxLineChars + 1)).slice(0, maxLineChars);
  }
  if (open !== '') yield open;
}

interface Line {
  /** Its place among the lines that could be shown. */
  readonly number: number;
  readonly text: string;
}

const time = /^\ufeff?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z ?/;
/** What programs call a failure in the languages that are in use. A word within a longer one is none. */
const trouble =
  /^##\[error\]|\b(?:error|errors|fail|failed|failing|failure|fatal|panic|panicked|exception|traceback|assertionerror|segmentation fault|not ok|exit code [1-9]\d*)\b|✗|✖|✕|❌|\b[A-Z]\w*(?:Error|Exception)\b/i;
/** Says that all is well with the same words. */
const wellness = /\b(?:0|no) (?:errors?|failures?|failed|failing)\b|\bfail(?:ed|ures?|ing)?:? 0\b/i;

class Excerpt {
  readonly #step: StepTimes | null;
  #lines = 0;
  #number = 0;
  #before: Line[] = [];
  #tail: Line[] = [];
  #kept: Line[] = [];
  #after = 0;
  #group: string[] | null = null;
  #commands: readonly string[] = [];
  #failed: { readonly commands: readonly string[]; readonly tail: readonly Line[] } | null = null;

  constructor(step: StepTimes | null) {
    this.#step = step;
  }

  add(raw: string): void {
    this.#lines += 1;
    const at = time.exec(raw)?.[1];
    if (!this.#isOfStep(at)) return;
    const text = raw.replace(time, '').replaceAll(ansi, '').trimEnd();
    this.#readGroup(text);
    if (text === '##[endgroup]') return;
    this.#number += 1;
    this.#keep({ number: this.#number, text: text.replace(/^##\[(?:group|command)\]/, '') });
    // Without the step's times it is the one whose end says so.
    if (text.startsWith('##[error]')) this.#failed = { commands: this.#commands, tail: [...this.#tail] };
  }

  /** Whether a step said that it failed. */
  hasFailed(): boolean {
    return this.#failed !== null;
  }

  end(maxChars: number): LogExcerpt {
    const { commands, tail } = this.#failed ?? { commands: this.#commands, tail: this.#tail };
    const lines = new Map([...this.#kept, ...tail].map((line) => [line.number, line]));
    const inOrder = [...lines.values()].sort((left, right) => left.number - right.number);
    return { text: renderLines(fitLines(inOrder, maxChars)), commands, lines: this.#lines };
  }

  #isOfStep(at: string | undefined): boolean {
    if (this.#step === null || at === undefined) return true;
    const second = Date.parse(`${at}Z`);
    return second >= this.#step.from && second <= this.#step.to;
  }

  /** A step begins with a group that shows its commands and then its shell and environment. */
  #readGroup(text: string): void {
    const first = /^##\[group\]Run (.*)$/.exec(text)?.[1];
    if (first !== undefined) this.#group = [first];
    else if (text === '##[endgroup]' && this.#group !== null) {
      this.#commands = commandsOf(this.#group);
      this.#group = null;
    } else this.#group?.push(text);
  }

  #keep(line: Line): void {
    const isTrouble = trouble.test(line.text) && !wellness.test(line.text);
    if (isTrouble && this.#kept.length < maxKept) {
      this.#kept.push(...this.#before, line);
      this.#before = [];
      this.#after = linesAfter;
    } else if (this.#after > 0) {
      this.#kept.push(line);
      this.#after -= 1;
    } else this.#before = [...this.#before.slice(1 - linesBefore), line];
    this.#tail = [...this.#tail.slice(1 - lastLines), line];
  }
}

/** The lines of the script; `shell:` and `env:` are the runner's own. A step that is an action has none. */
function commandsOf(group: readonly string[]): readonly string[] {
  if (group.some((line, index) => index > 0 && line.startsWith('with:'))) return [];
  const end = group.findIndex((line, index) => index > 0 && /^(?:shell|env):/.test(line));
  const script = group.slice(1, end < 0 ? group.length : end);
  // The group's head is the script's first line; where the script has more of them it is repeated below.
  const lines = script.length === 0 ? group.slice(0, 1) : script;
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

/** The last lines first, which say how it ended; then what leads to them. A third of the room is for where it began. */
function fitLines(lines: readonly Line[], maxChars: number): readonly Line[] {
  const size = ({ text }: Line) => text.length + 1;
  if (lines.reduce((sum, line) => sum + size(line), 0) <= maxChars) return lines;
  let room = maxChars / 3;
  const head = lines.findIndex((line) => {
    room -= size(line);
    return room < 0;
  });
  room += (maxChars / 3) * 2;
  const tail = lines.findLastIndex((line) => {
    room -= size(line);
    return room < 0;
  });
  return [...lines.slice(0, head), ...lines.slice(Math.max(tail + 1, head))];
}

function renderLines(lines: readonly Line[]): string {
  return lines
    .map(({ number, text }, index) => {
      const previous = lines[index - 1]?.number ?? (index === 0 ? number - 1 : number);
      return number === previous + 1 ? text : `…\n${text}`;
    })
    .join('\n');
}
