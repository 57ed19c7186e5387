// Owns the options of a comment: `--max-turns N`, `--budget N` (US dollars, also `$N`), `--model x`; what the workflow allows of it is decided elsewhere. Pure.
import type { Instruction } from '../../schema/gate.ts';

type Options = Pick<Instruction, 'maxTurns' | 'maxCostUsd' | 'model'>;

export interface ReadOptions {
  /** The order without them. */
  readonly rest: string;
  readonly options: Options;
  /** What of them cannot be read, each a sentence for the person who wrote it. */
  readonly problems: readonly string[];
}

interface Reader {
  readonly needs: string;
  /** null: not readable. */
  read(value: string): Options | null;
}

const readers: Readonly<Record<string, Reader>> = {
  'max-turns': {
    needs: 'a whole number of model calls from 1, as in `--max-turns 20`',
    read: (value) => (/^\d{1,9}$/.test(value) && Number(value) > 0 ? { maxTurns: Number(value) } : null),
  },
  budget: {
    needs: 'US dollars, as in `--budget 2` or `--budget $0.50`',
    read: (value) => {
      const amount = Number(/^\$?(\d{1,6}(?:\.\d{1,6})?)\$?$/.exec(value)?.[1] ?? 0);
      return amount > 0 ? { maxCostUsd: amount } : null;
    },
  },
  model: {
    needs: 'the name of a model, as in `--model gpt-5`',
    read: (value) => (/^[\w.:@-][\w./:@-]{0,199}$/.test(value) && !value.startsWith('-') ? { model: value } : null),
  },
};

const name = `--(${Object.keys(readers).join('|')})`;
const value = '(?:[ \\t]*=[ \\t]*|[ \\t]+)((?!--)\\S+)';
const first = new RegExp(`^${name}(?:${value}|(?![^\\s=]))[ \\t]*`);
const last = new RegExp(`(?:^|[ \\t])${name}(?:${value})?(?:[ \\t,]+(?:please|pls|thanks|thank you))?[ \\t.!]*$`);

/** More than one of each are a slip; so the time does not grow with the square of their number. */
const maxOptions = 10;

/**
 * Options stand at the beginning of an order, behind the handle or the control word, or at the end of its first line, where a courtesy may
 * follow them: there people put them.
 * In the middle of a sentence, on later lines, in code and in quotes they are words like any other. Of two of a kind the outer one counts.
 */
export function readOptions(order: string): ReadOptions {
  const found: { readonly option: string; readonly value: string }[] = [];
  const take = (match: RegExpExecArray): void => void found.push({ option: match[1] ?? '', value: match[2] ?? '' });
  let rest = order;
  for (let match = first.exec(rest); match !== null && found.length < maxOptions; match = first.exec(rest)) {
    take(match);
    rest = rest.slice(match[0].length);
  }
  const end = rest.search(/\r?\n|$/);
  let line = rest.slice(0, end);
  for (let match = last.exec(line); match !== null && found.length < maxOptions; match = last.exec(line)) {
    take(match);
    line = line.slice(0, match.index);
  }
  return { rest: line + rest.slice(end), ...toOptions(found) };
}

function toOptions(found: readonly { readonly option: string; readonly value: string }[]): Omit<ReadOptions, 'rest'> {
  const problems: string[] = [];
  let options: Options = {};
  for (const { option, value: written } of found) {
    // An option at the end of a sentence takes its full stop along.
    const read = readers[option]?.read(written.replace(/[.,;:!?)]+$/, ''));
    if (read) options = { ...read, ...options };
    else problems.push(`\`--${option}${written === '' ? '' : ` ${toWord(written)}`}\` needs ${readers[option]?.needs}.`);
  }
  return { options, problems };
}

/** In a code span of ours, and no longer than a word; a value that is code itself was set aside and is not there any more. */
function toWord(text: string): string {
  return /[\uE000\uE001]/.test(text) ? '…' : text.replaceAll(/[^\x21-\x7e]|`/g, '').slice(0, 40);
}
