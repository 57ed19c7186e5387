// One simple command of the parser: its assignments, words and redirects, then what it does (simple-command.ts).
import type { Assignment, Command, Word } from 'unbash';
import { readArithmetic } from './arithmetic.ts';
import { readPart, readWord } from './read-word.ts';
import { readRedirection } from './redirect.ts';
import { addCommand } from './simple-command.ts';
import type { ShellAssignment, ShellWord } from './step.ts';
import { addDoubt, addUnreadable, addValue, type Walk } from './walk.ts';

/** Words that bash would not take for the name of a command, where they stand first and unquoted. */
const reserved = new Set(
  'if then elif else fi for in do done while until case esac select function coproc time { } ! [[ ]]'.split(' '),
);

export function readCommandNode(command: Command, walk: Walk): void {
  const { name, prefix, suffix, pos, end } = command;
  const text = walk.source.slice(pos, end);
  const items = [...prefix, ...(name === undefined ? [] : [name]), ...suffix];
  checkGaps(command, items, walk);
  const assignments: ShellAssignment[] = [];
  const words: ShellWord[] = [];
  for (const item of items) {
    switch (item.type) {
      case 'Word':
        words.push(readWord(item, walk));
        break;
      case 'Assignment':
        if (words.length > 0) words.push(readAssignedWord(item, walk));
        else assignments.push(readAssignment(item, walk));
        break;
      case 'Redirect':
      case 'HereString':
      case 'HereDoc':
        readRedirection(item, walk);
        break;
      default:
        addUnreadable(walk, text, 'it has a part of a kind that is not known');
    }
  }
  if (name !== undefined) checkName(name, prefix.length === 0, walk);
  if (words.length > 0) addCommand({ words, assignments, text }, walk);
  else
    for (const assignment of assignments)
      walk.steps.push({ kind: 'assignment', text: assignment.text, assignment, isOwn: false });
}

/** Between the parts of one command there are blanks only. */
function checkGaps({ pos, end }: Command, items: readonly Pick<Word, 'pos' | 'end'>[], walk: Walk): void {
  let at = pos;
  const isClear = items.every((item) => {
    const between = item.pos < at ? undefined : walk.source.slice(at, item.pos);
    at = item.end;
    return between !== undefined && /^(?:[ \t]|\\\n)*$/.test(between);
  });
  if (!isClear) addUnreadable(walk, walk.source.slice(pos, end), 'there is something between its words');
}

function checkName({ text }: Word, isFirst: boolean, walk: Walk): void {
  const isAssignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(text.replaceAll('\\\n', ''));
  if (isAssignment || (isFirst && reserved.has(text))) addUnreadable(walk, text, 'it is not the name of a command');
}

function readAssignment(assignment: Assignment, walk: Walk): ShellAssignment {
  walk.leaves.push({ pos: assignment.pos, end: assignment.end, kind: 'word' });
  const { text, pos, end, name } = assignment;
  const head = /^([A-Za-z_]\w*)(?:\[([^[\]]*)\])?(\+?)=/.exec(text);
  if (head?.[1] !== name || walk.source.slice(pos, end) !== text) {
    addUnreadable(walk, text, 'it is not the assignment that it seems to be');
    return { name, value: undefined, text };
  }
  const [{ length }, , index, plus] = head;
  if (index !== undefined) readArithmetic(index, walk);
  const value = readValue(assignment, pos + length, walk);
  if (index !== undefined || value === undefined) walk.state.lists.add(name);
  addValue(walk, name, index === undefined && plus === '' && isNumeric(assignment, value));
  return { name, value: index === undefined && plus === '' ? value?.value : undefined, text };
}

/** Undefined for an array. */
function readValue({ value, text, end }: Assignment, from: number, walk: Walk): ShellWord | undefined {
  if (value.type === 'Word') {
    if (value.pos !== from || value.end !== end) addUnreadable(walk, text, 'its value is not where it seems to be');
    return readPart(value, walk);
  }
  let at = value.pos + 1;
  for (const element of value.elements) {
    if (/\S/.test(walk.source.slice(at, element.pos))) addUnreadable(walk, text, 'there is something between its elements');
    if (element.text.startsWith('[')) addDoubt(walk, text, { level: 'anything', why: 'a subscript can run commands' });
    readPart(element, walk);
    at = element.end;
  }
  if (value.pos !== from || walk.source.slice(at, value.end).trim() !== ')')
    addUnreadable(walk, text, 'the list does not end where it seems to');
  return undefined;
}

function isNumeric({ value }: Assignment, word: ShellWord | undefined): boolean {
  if (value.type !== 'Word' || word === undefined) return false;
  if (word.value !== undefined) return /^-?\d*$/.test(word.value);
  // `$!`, `$?`, `$#` and `$$` are numbers, too.
  if (/^\$[!?#$]$/.test(value.text)) return true;
  const [part, ...more] = value.parts ?? [];
  return part?.type === 'ArithmeticExpansion' && more.length === 0 && part.text === value.text;
}

/** `NAME=value` behind `export` and its like. */
function readAssignedWord(assignment: Assignment, walk: Walk): ShellWord {
  const { name, value, text } = readAssignment(assignment, walk);
  const prefix = /^[A-Za-z_]\w*\+?=/.exec(text)?.[0] ?? '';
  return { text, value: value === undefined ? undefined : `${name}=${value}`, prefix, isMany: false, isSplit: false };
}
