// `find`: the commands that it runs for what it finds, the files that it writes, and what it takes away.
import { anything, type CommandFacts, type InnerCommand } from './command-facts.ts';
import { anyWords, type FileStep, plainWord, type ShellWord } from './step.ts';
import { withHole } from './wrappers.ts';

const running = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const writing = new Set(['-fprint', '-fprint0', '-fprintf', '-fls']);

export function describeFind(words: readonly ShellWord[]): CommandFacts {
  // What is not known may be an action.
  const open = words.find(({ value, prefix, isSplit }) => value === undefined && (isSplit || !/^[^-()!,]/.test(prefix)));
  if (open !== undefined) return anything(`find may take ${open.text} for -exec: begin it with ./, in double quotes`);
  const inner: InnerCommand[] = [];
  const files: Pick<FileStep, 'access' | 'path'>[] = [];
  for (let index = 1; index < words.length; index += 1) {
    const value = words[index]?.value ?? '';
    if (writing.has(value)) files.push({ access: 'write', path: words[index + 1]?.value });
    if (value === '-delete') inner.push({ index, words: [plainWord('rm'), anyWords], isImplied: true });
    if (!running.has(value)) continue;
    const end = findEnd(words, index);
    if (end === words.length) return anything('the command of find has no end');
    const isBatch = words[end]?.value === '+';
    const command = words.slice(index + 1, end).map((word) => withHole(word, '{}'));
    inner.push({ index: index + 1, words: isBatch ? [...command, anyWords] : command });
    index = end;
  }
  return { inner, files };
}

/** A `;`, or a `+` behind `{}`: elsewhere it is a word like others. */
function findEnd(words: readonly ShellWord[], from: number): number {
  const isEnd = (index: number): boolean => {
    const value = words[index]?.value;
    return value === ';' || (value === '+' && words[index - 1]?.value === '{}');
  };
  let index = from;
  while (index < words.length && !isEnd(index)) index += 1;
  return index;
}
