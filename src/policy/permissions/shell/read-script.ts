// A parsed script, taken apart into steps: every command in it, wherever it stands, and every file the shell opens. Runs and judges nothing.
import type {
  AndOr,
  ArithmeticCommand,
  ArithmeticFor,
  Case,
  CommandNode,
  CompoundCommand,
  CompoundList,
  For,
  If,
  Pipeline,
  Select,
  Statement,
  Word,
} from 'unbash';
import { readArithmetic } from './arithmetic.ts';
import { readConditional } from './conditional.ts';
import { readCommandNode } from './read-command.ts';
import { readWord } from './read-word.ts';
import { readRedirection } from './redirect.ts';
import { isName } from './variables.ts';
import { addDoubt, addUnreadable, addValue, type Walk } from './walk.ts';

type Node = AndOr | Pipeline | CommandNode;

/** Reads statements one after the other. */
export function readStatements(statements: readonly Statement[], walk: Walk): void {
  statements.forEach(({ type, command, pos }, index) => {
    const before = statements[index - 1]?.command.end;
    const isApart = before === undefined || /[;&\n]/.test(walk.source.slice(before, pos));
    if (type !== 'Statement' || !isApart)
      addUnreadable(walk, textOf(command, walk), 'it is not apart from the command before it');
    readNode(command, walk);
  });
}

function readNode(node: Node, walk: Walk): void {
  switch (node.type) {
    case 'AndOr':
    case 'Pipeline':
      readJoined(node.commands, node.operators, walk);
      break;
    case 'Command':
      readCommandNode(node, walk);
      break;
    case 'Redirected':
      readNode(node.command, walk);
      for (const redirect of node.redirects) readRedirection(redirect, walk);
      break;
    case 'Function':
    case 'Coproc':
      readNamed(node, walk);
      break;
    default:
      readCompound(node, walk);
  }
}

/** What they run is judged where it stands; no `allow` covers that it can be called by another name, or what it sets. */
function readNamed(node: Extract<CommandNode, { readonly type: 'Function' | 'Coproc' }>, walk: Walk): void {
  if (node.name !== undefined) readWord(node.name, walk);
  const why = node.type === 'Function' ? 'it defines a function' : 'a coprocess sets variables';
  addDoubt(walk, textOf(node, walk), { level: 'uncovered', why });
  if (node.body.type === 'CompoundList') readList(node.body, walk);
  else readNode(node.body, walk);
}

function readList(list: CompoundList, walk: Walk): void {
  readStatements(list.commands, walk);
}

/** Commands with operators between them, which must stand in the text as well. */
function readJoined(nodes: readonly Node[], operators: readonly string[], walk: Walk): void {
  nodes.forEach((node, index) => {
    const before = nodes[index - 1];
    const between = before === undefined ? '' : walk.source.slice(before.end, node.pos);
    const isJoined = before === undefined || between.includes(operators[index - 1] ?? '\0');
    if (!isJoined) addUnreadable(walk, textOf(node, walk), 'it is not joined to the command before it');
    readNode(node, walk);
  });
}

function readCompound(node: CompoundCommand, walk: Walk): void {
  switch (node.type) {
    case 'Subshell':
    case 'BraceGroup':
      readList(node.body, walk);
      break;
    case 'If':
      for (const list of listsOf(node)) readList(list, walk);
      break;
    case 'While':
      readList(node.clause, walk);
      readList(node.body, walk);
      break;
    case 'For':
    case 'Select':
      readLoop(node, walk);
      break;
    case 'Case':
      readCase(node, walk);
      break;
    case 'TestCommand':
      readConditional(node, walk);
      break;
    case 'ArithmeticCommand':
      readArithmeticCommand(node, walk);
      break;
    case 'ArithmeticFor':
      readArithmeticFor(node, walk);
      break;
    default:
      addUnreadable(walk, textOf(node, walk), 'it is a command of a kind that is not known');
  }
}

function listsOf({ clause, then, elif, else: otherwise }: If): readonly CompoundList[] {
  return [
    clause,
    then,
    ...elif.flatMap((branch) => [branch.clause, branch.then]),
    ...(otherwise === undefined ? [] : [otherwise]),
  ];
}

function readArithmeticCommand(node: ArithmeticCommand, walk: Walk): void {
  walk.leaves.push({ pos: node.pos, end: node.end, kind: 'word' });
  if (textOf(node, walk) === `((${node.body}))`) readArithmetic(node.body, walk);
  else addUnreadable(walk, textOf(node, walk), 'it is written in an unusual way');
}

function readLoop({ type, name, wordlist, body }: For | Select, walk: Walk): void {
  const text = textOf(name, walk);
  readWord(name, walk);
  if (!isName(text)) addUnreadable(walk, text, 'it is no name for a variable');
  const words = (wordlist ?? []).map((word) => readWord(word, walk));
  const isNumber = wordlist !== undefined && words.every(({ value }) => value !== undefined && /^-?\d+$/.test(value));
  addValue(walk, text, isNumber);
  if (type === 'Select') addValue(walk, 'REPLY', false);
  walk.steps.push({ kind: 'assignment', text, assignment: { name: text, value: undefined, text }, isOwn: true });
  readList(body, walk);
}

function readCase({ word, items }: Case, walk: Walk): void {
  readWord(word, walk);
  for (const { pattern, body } of items) {
    for (const each of pattern) readPattern(each, walk);
    readList(body, walk);
  }
}

/** `esac` ends the command where a pattern could begin; nobody needs it as a pattern. */
function readPattern(word: Word, walk: Walk): void {
  if (word.text === 'esac') addUnreadable(walk, word.text, 'it is a keyword that stands as a pattern');
  readWord(word, walk);
}

function readArithmeticFor(node: ArithmeticFor, walk: Walk): void {
  const header = walk.source.slice(node.pos, node.body.pos);
  const match = /^for\s*\(\(([^;]*);([^;]*);([^;]*)\)\)/.exec(header);
  if (match === null) addUnreadable(walk, header, 'it is written in an unusual way');
  walk.leaves.push({ pos: node.pos, end: node.pos + (match?.[0].length ?? 0), kind: 'word' });
  for (const part of match?.slice(1) ?? []) readArithmetic(part, walk);
  readList(node.body, walk);
}

function textOf({ pos, end }: { readonly pos: number; readonly end: number }, walk: Walk): string {
  return walk.source.slice(pos, end);
}
