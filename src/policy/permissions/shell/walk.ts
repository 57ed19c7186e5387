// What is handed down while a command line is read: where its pieces are put, and what is known of the whole line. No reading itself.
import type { ParsedScript } from 'unbash';
import { type Doubt, type Step, unreadable } from './step.ts';
import { evaluatesValue, makesShellRun } from './variables.ts';

/** A stretch of the text that was read as one thing; what lies between them must be blanks, operators and keywords (account-for.ts). */
export type Leaf = { readonly pos: number; readonly end: number } & (
  | { readonly kind: 'word' | 'redirect' }
  /** A redirect that begins with its descriptor. */
  | { readonly kind: 'numbered' }
  /** The text of a here-document, which lies between the lines; `from`: where its redirect ends. */
  | { readonly kind: 'document'; readonly from: number }
);

/** Of a whole line, with everything that stands within it. */
export interface LineState {
  changesFolder: boolean;
  /** How many commands within commands may yet be read, and how many characters of scripts within them. */
  commandsLeft: number;
  charsLeft: number;
  /** Variables that get a value in it, and whether all of these are plain numbers. */
  readonly isNumber: Map<string, boolean>;
  /** Variables that become lists, and those that `declare` and its like give a value that is not known: a list takes it apart. */
  readonly lists: Set<string>;
  readonly declared: { readonly name: string; readonly text: string }[];
  /** Arithmetic, with the variables whose values it takes. */
  readonly sums: { readonly names: readonly string[]; readonly text: string }[];
}

/** Of one script: the line itself, or one within it. */
export interface Walk {
  readonly source: string;
  readonly state: LineState;
  readonly steps: Step[];
  readonly leaves: Leaf[];
  /** How deep in commands that run commands. */
  readonly depth: number;
  /** Reads a script that lies in `source` between the two positions. */
  readonly nest: (script: ParsedScript | undefined, start: number, end: number) => void;
  /** Reads a text that a command hands to a shell. */
  readonly readText: (text: string, depth: number) => readonly Step[];
}

/** Commands that run commands that run commands: nobody writes more by hand. */
export const maxDepth = 12;

/** Notes that nothing can be said of `text`. */
export function addUnreadable(walk: Walk, text: string, why: string): void {
  addDoubt(walk, text, unreadable(why));
}

export function addDoubt({ steps }: Walk, text: string, doubt: Doubt): void {
  steps.push({ kind: 'doubt', text, doubt });
}

/** Notes that a variable gets a value, or loses it. */
export function addValue(walk: Walk, name: string, isNumber: boolean): void {
  const { state } = walk;
  state.isNumber.set(name, isNumber && state.isNumber.get(name) !== false);
  if (makesShellRun(name) || (evaluatesValue(name) && !isNumber))
    addDoubt(walk, name, { level: 'anything', why: `what ${name} holds may be run` });
}
