// What is known of a program or builtin beyond its words, and how a command that runs others says which. Types, and what they are made with.
import type { CommandForm, Doubt, FileStep, ShellAssignment, ShellWord } from './step.ts';

/** A command within the words of another one. `index`: of the word where it stands. `isImplied`: it is not what stands there, but what that does. */
export type InnerCommand = { readonly index: number } & (
  | { readonly words: readonly ShellWord[]; readonly assignments?: readonly ShellAssignment[]; readonly isImplied?: boolean }
  /** A text that a shell reads. */
  | { readonly script: string }
);

export interface CommandFacts {
  /** Absent: it needs a rule of its own. */
  readonly needsRule?: boolean;
  readonly doubts?: readonly Doubt[];
  readonly inner?: readonly InnerCommand[];
  /** Other words for the same, besides those that are written. */
  readonly forms?: readonly CommandForm[];
  /** Variables that it sets or takes away. */
  readonly sets?: readonly string[];
  /** Of these: what becomes a list, and what is given a value that is not known. A list that is given a text takes it apart. */
  readonly lists?: readonly string[];
  readonly declares?: readonly string[];
  /** Texts that it evaluates as arithmetic. */
  readonly sums?: readonly string[];
  readonly files?: readonly Pick<FileStep, 'access' | 'path'>[];
  readonly changesFolder?: boolean;
}

/** `words[0]` is the command's own name, which is known. */
export type Describe = (words: readonly ShellWord[]) => CommandFacts;

/** A command of which nothing can be said. */
export function anything(why: string, spelledAt?: number): CommandFacts {
  return { doubts: [{ level: 'anything', why, spelledAt }] };
}

/** More words than a person writes behind the options of `sudo`. */
const maxPossible = 40;

/**
 * A command that runs others, whose options are not understood: each of its words may begin the other one, or be a script. No `allow`
 * covers it that does not spell all of it.
 */
export function possiblyInner(words: readonly ShellWord[], from: number): CommandFacts {
  if (words.length - from > maxPossible) return anything('it runs another command, and its options are not known');
  const inner = words.slice(from).flatMap((word, offset): InnerCommand[] => {
    const index = from + offset;
    return [{ index, words: words.slice(index) }, ...scriptsIn(word.value).map((script) => ({ index, script }))];
  });
  return { inner, doubts: [{ level: 'uncovered', why: 'it runs another command, and its options are not known' }] };
}

/** What of a word could be a script: all of it, or what follows an option's letter or `=`. */
function scriptsIn(value: string | undefined): readonly string[] {
  if (value === undefined || !/\s/.test(value.trim())) return [];
  const attached = /^-\w([\s\S]+)$/.exec(value)?.[1];
  const assigned = /^--?[\w-]+=([\s\S]+)$/.exec(value)?.[1];
  return [value, attached, assigned].filter((script) => script !== undefined);
}
