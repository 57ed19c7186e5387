// Reads `INPUT_*` values as typed values and collects every problem, so that all are reported together. Knows no input by name.
import { Harness9Error } from '../schema/error.ts';
import { splitList } from '../schema/split-list.ts';

/** One wrong input: its name, what was seen and what is expected. */
export interface InputProblem {
  readonly input: string;
  readonly seen: string;
  readonly expected: string;
}

/** Typed access to inputs. A wrong value is noted in `problems` and answered with a harmless stand-in, so that reading goes on. */
export class InputReader {
  readonly problems: InputProblem[] = [];
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #defaults: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string | undefined>>, defaults: Readonly<Record<string, string>>) {
    this.#env = env;
    this.#defaults = defaults;
  }

  /** The value, trimmed, or null when empty. An input that the runner did not pass has its default. */
  text(input: string): string | null {
    const value = (this.#env[`INPUT_${input.toUpperCase()}`] ?? this.#defaults[input] ?? '').trim();
    return value === '' ? null : value;
  }

  /** A template whose `{{…}}` are all among `placeholders`, or null when empty. */
  template(input: string, placeholders: readonly string[]): string | null {
    const value = this.text(input);
    const named = [...(value ?? '').matchAll(/\{\{(.*?)\}\}/g)].map(([, name = '']) => name.trim());
    const unknown = named.find((name) => !placeholders.includes(name));
    if (unknown !== undefined)
      this.problem(input, `{{${unknown}}}`, `only ${placeholders.map((name) => `{{${name}}}`).join(', ')} in braces`);
    return value;
  }

  /** A comma or line list, each trimmed, empty ones dropped. */
  list(input: string): readonly string[] {
    return splitList(this.text(input));
  }

  choice<T extends string>(input: string, choices: readonly [T, ...T[]]): T {
    const value = this.text(input);
    const found = choices.find((choice) => choice === value);
    if (found === undefined) this.problem(input, value ?? '', `one of ${choices.join(', ')}`);
    return found ?? choices[0];
  }

  boolean(input: string): boolean {
    return this.choice(input, ['true', 'false']) === 'true';
  }

  /** A whole number from `min` on, or null when empty and `isOptional`. */
  integer(input: string, min: number): number {
    const value = this.text(input) ?? '';
    const parsed = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
    if (Number.isNaN(parsed) || parsed < min) this.problem(input, value, `a whole number of at least ${min}`);
    return Number.isNaN(parsed) ? min : parsed;
  }

  optionalInteger(input: string, min: number): number | null {
    return this.text(input) === null ? null : this.integer(input, min);
  }

  /** An amount of money above 0, such as `2` or `0.5`, or null when empty. */
  optionalAmount(input: string): number | null {
    const value = this.text(input);
    if (value === null) return null;
    const parsed = /^\d{1,9}(\.\d{1,6})?$/.test(value) ? Number(value) : 0;
    if (parsed === 0) this.problem(input, value, 'an amount above 0, such as 2 or 0.50');
    return parsed;
  }

  problem(input: string, seen: string, expected: string): void {
    this.problems.push({ input, seen, expected });
  }

  /** Throws one error that names every wrong input, the value seen and what is expected. */
  throwIfWrong(): void {
    if (this.problems.length === 0) return;
    const lines = this.problems.map(
      ({ input, seen, expected }) => `input \`${input}\`: ${seen === '' ? 'nothing given' : `"${seen}"`}, expected ${expected}`,
    );
    throw new Harness9Error({
      code: 'INPUT_INVALID',
      message: lines.join('\n'),
      hint: 'Correct these inputs under `with:` in the workflow; the README lists all inputs.',
    });
  }
}
