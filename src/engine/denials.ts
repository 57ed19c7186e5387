// What a run did not do because a rule or a hook said no, for people: who reads the answer must not have to believe the model about it.
import { argumentsOf, type ToolCall } from '../schema/message.ts';
import { oneLine } from '../schema/one-line.ts';
import type { Denial } from '../schema/run-scope.ts';

/** Of different ones: a reply has a line for them, and the words of a hook may be others each time. */
const maxTold = 4;
const maxAboutChars = 80;

/** `why`: whose word it is, as a clause. */
export function denialOf(call: ToolCall, why: string): Denial {
  const args = argumentsOf(call) ?? {};
  const about = [args.command, args.path, args.agent, args.skill_name].find((value) => typeof value === 'string') ?? '';
  return { tool: call.name, about: oneLine(String(about), maxAboutChars), why };
}

export class Denials {
  /** The first ones; the others are only counted. */
  readonly #told = new Map<string, { readonly first: Denial; readonly count: number }>();
  readonly #around: ((denial: Denial) => void) | undefined;
  #count = 0;

  /** `around`: of the run that this one is a part of, which is told as well. */
  constructor(around: ((denial: Denial) => void) | undefined) {
    this.#around = around;
  }

  add(denial: Denial): void {
    this.#count += 1;
    const kind = JSON.stringify([denial.tool, denial.why]);
    const { first, count } = this.#told.get(kind) ?? { first: denial, count: 0 };
    if (count > 0 || this.#told.size < maxTold) this.#told.set(kind, { first, count: count + 1 });
    this.#around?.(denial);
  }

  /** A line about all of them, each kind told once; undefined when nothing was denied. */
  note(): string | undefined {
    if (this.#count === 0) return undefined;
    const told = [...this.#told.values()];
    const rest = this.#count - told.reduce((sum, { count }) => sum + count, 0);
    const lines = told.map(({ first, count }) => `${wordsOf(first)}${count === 1 ? '' : ` (${count} times)`}`);
    const more = rest === 0 ? [] : [`and ${rest} more`];
    return `${this.#count === 1 ? 'A call was' : `${this.#count} calls were`} denied: ${[...lines, ...more].join('; ')}.`;
  }
}

function wordsOf({ tool, about, why }: Denial): string {
  const quoted = about === '' ? '' : ` \`${about.replaceAll('`', "'")}\``;
  return `${tool}${quoted} ${why}`;
}
