// Shells, and the builtins that read a text as a script: `bash -c`, `eval`, `trap`, `source`.
import { anything, type CommandFacts, type Describe } from './command-facts.ts';
import { type CommandForm, plainWord, type ShellWord } from './step.ts';

/** Files that are streams: what comes out of them is not what lies in the workspace. */
const streams = /^\/(?:dev|proc)\//;

export const shells: Readonly<Record<string, Describe>> = {
  bash: (words) => describeShell(words, (script) => script),
  ...Object.fromEntries(
    ['sh', 'dash', 'ash'].map((name) => [name, (words: readonly ShellWord[]) => describeShell(words, plainScript)]),
  ),
  ...Object.fromEntries(
    ['zsh', 'ksh', 'mksh', 'rbash', 'fish', 'csh', 'tcsh', 'pwsh'].map((name) => [
      name,
      () => anything(`${name} is another shell`),
    ]),
  ),
  eval: describeEval,
  trap: describeTrap,
  source: describeSource,
  '.': describeSource,
};

/** Other shells read some texts in another way than bash; what is left here means the same to all of them. */
function plainScript(script: string): string | undefined {
  return /^(?:[^\\$`(){}[\]#!*?<>~^=\n\t]|\$[A-Za-z_])*$/.test(script) ? script : undefined;
}

function describeShell(words: readonly ShellWord[], toBash: (script: string) => string | undefined): CommandFacts {
  const name = words[0]?.text ?? '';
  const options = readOptions(words);
  if (options === undefined) {
    const isOpen = words.some(({ value }) => value === undefined);
    return anything(isOpen ? `what ${name} runs is not known before it runs` : `the options of ${name} are not known`);
  }
  const { index, letters } = options;
  const script = words[index]?.value;
  if (script === undefined)
    return anything(`${name} reads commands that the rules cannot see: write them out, as in bash -c '…'`);
  if (!letters.includes('c')) return describeFile(words, index);
  const text = toBash(script);
  if (text === undefined) return anything(`${name} may read this in another way than bash: write bash -c`);
  const doubts = letters.includes('l') ? [{ level: 'uncovered', why: `${name} -l reads start-up files` } as const] : [];
  return { needsRule: false, inner: [{ index, script: text }], doubts };
}

/** The letters of the options, and the index of the word behind them; undefined when one is not known to be harmless. */
function readOptions(words: readonly ShellWord[]): { readonly index: number; readonly letters: string } | undefined {
  let letters = '';
  let index = 1;
  for (; index < words.length; index += 1) {
    const value = words[index]?.value;
    if (value === undefined) return undefined;
    // `-` and `+` alone are options, too.
    if (!/^[-+]/.test(value)) break;
    const isNamed = value === '-o' && /^(?:pipefail|errexit|nounset|xtrace)$/.test(words[index + 1]?.value ?? '');
    if (!isNamed && !/^-[euxlc]+$/.test(value)) return undefined;
    if (isNamed) index += 1;
    else letters += value;
  }
  return { index, letters };
}

/** A file that is run: as if it stood there itself. */
function describeFile(words: readonly ShellWord[], index: number): CommandFacts {
  const file = words[index]?.value ?? '';
  return streams.test(file)
    ? anything('it reads commands that the rules cannot see')
    : { forms: [runAsProgram(words, index, file)] };
}

function describeEval(words: readonly ShellWord[]): CommandFacts {
  const rest = words[1]?.value === '--' ? words.slice(2) : words.slice(1);
  const texts = rest.map(({ value }) => value);
  if (texts.includes(undefined)) return anything('what eval runs is not known before it runs');
  // No word of a pattern spells all of it.
  return { inner: [{ index: words.length, script: texts.join(' ') }] };
}

function describeTrap(words: readonly ShellWord[]): CommandFacts {
  const index = words[1]?.value === '--' ? 2 : 1;
  const word = words[index];
  if (word === undefined || word.value === '-p' || word.value === '-l' || word.value === '-') return {};
  if (word.value === undefined) return anything('what trap runs is not known before it runs');
  return { inner: [{ index, script: word.value }] };
}

function describeSource(words: readonly ShellWord[]): CommandFacts {
  const file = words[1]?.value;
  if (file === undefined || streams.test(file)) return anything('it reads commands that the rules cannot see', 1);
  return { changesFolder: true, forms: [runAsProgram(words, 1, file)] };
}

function runAsProgram(words: readonly ShellWord[], index: number, file: string): CommandForm {
  return { words: [plainWord(file.includes('/') ? file : `./${file}`), ...words.slice(index + 1)], isExact: false };
}
