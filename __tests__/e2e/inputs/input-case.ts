// One row of the tables of inputs: which input, and the run that shows what it does.

export interface InputCase {
  readonly input: string;
  /** Goes on after the input's name. */
  readonly shows: string;
  readonly check: () => Promise<void>;
}

export const timeout = 180_000;
