// What a command line does, taken apart into what rules can judge one by one. Data, and the way through it.

/** A word of a command. */
export interface ShellWord {
  /** As it is written. */
  readonly text: string;
  /** What the program gets; undefined when only running the command would tell. */
  readonly value: string | undefined;
  /** What it begins with, whatever the rest turns out to be. */
  readonly prefix: string;
  /** It may turn out to be no word, or several. */
  readonly isMany: boolean;
  /** The several words need not begin with `prefix`, as those of a glob do. */
  readonly isSplit: boolean;
}

/** `NAME=value`, before a command or alone. */
export interface ShellAssignment {
  readonly name: string;
  /** Undefined when it is not known, or no plain text (an array, an element of one, an appended one). */
  readonly value: string | undefined;
  readonly text: string;
}

/**
 * `unreadable`: it cannot be said what the text runs. `anything`: it can run any command, so that every rule may be about it. `uncovered`:
 * what it runs is known, and something else about it lets no `allow` cover it.
 */
export interface Doubt {
  readonly level: 'unreadable' | 'anything' | 'uncovered';
  readonly why: string;
  /** A pattern that has this word of the command, letter by letter, means it: then there is no doubt for an `allow`. */
  readonly spelledAt?: number | undefined;
}

/** Of a text of which nothing can be said. */
export function unreadable(why: string): Doubt {
  return { level: 'unreadable', why };
}

/** What a command runs in turn. `index`: of the word of the outer command where it stands. */
export interface Inner {
  readonly index: number;
  /** It is made of the words from there on; else that one word says all of it. */
  readonly isContinued: boolean;
  readonly steps: readonly Step[];
}

/** Words by which a command is matched. `isExact`: it does the same as what is written, so that an `allow` may go by them. */
export interface CommandForm {
  readonly words: readonly ShellWord[];
  readonly isExact: boolean;
}

export interface CommandStep {
  readonly kind: 'command';
  readonly text: string;
  /** Never empty; the first is as written. */
  readonly forms: readonly CommandForm[];
  readonly assignments: readonly ShellAssignment[];
  /** False: it does nothing but what is in `inner`. */
  readonly needsRule: boolean;
  /** No more is known of its program than its name. */
  readonly isPlain: boolean;
  readonly doubts: readonly Doubt[];
  readonly inner: readonly Inner[];
}

/** A file that the shell itself opens. `path`: as bash would take it; undefined when that is not known. */
export interface FileStep {
  readonly kind: 'file';
  readonly text: string;
  readonly access: 'read' | 'write';
  readonly path: string | undefined;
}

/** Variables that the shell itself sets. `isOwn`: as a loop or `read` does, for the commands that follow. */
export interface AssignmentStep {
  readonly kind: 'assignment';
  readonly text: string;
  readonly assignment: ShellAssignment;
  readonly isOwn: boolean;
}

export interface DoubtStep {
  readonly kind: 'doubt';
  readonly text: string;
  readonly doubt: Doubt;
}

export type Step = CommandStep | FileStep | AssignmentStep | DoubtStep;

/** Steps, and those within them, in the order of the text. */
export function* stepsIn(steps: readonly Step[]): Generator<Step> {
  for (const step of steps) {
    yield step;
    if (step.kind === 'command') for (const inner of step.inner) yield* stepsIn(inner.steps);
  }
}

/** A command line, taken apart. */
export interface CommandReading {
  readonly steps: readonly Step[];
  /** It goes to another folder at some point: relative paths mean something else from there on. */
  readonly changesFolder: boolean;
}

/** A word that can be anything, and any number of words. */
export const anyWords: ShellWord = { text: '…', value: undefined, prefix: '', isMany: true, isSplit: true };

/** A word that is known. */
export function plainWord(value: string): ShellWord {
  return { text: value, value, prefix: value, isMany: false, isSplit: false };
}
