// The `[[ … ]]` command: its words, what runs within them, and the operators that evaluate arithmetic or subscripts.
import type { TestBinaryExpression, TestCommand, TestExpression, TestUnaryExpression, Word } from 'unbash';
import { readArithmetic } from './arithmetic.ts';
import { readPart } from './read-word.ts';
import { anyWords, type ShellWord } from './step.ts';
import { isName } from './variables.ts';
import { addDoubt, addUnreadable, type Walk } from './walk.ts';

const arithmeticOperators = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);
/** Between the words: blanks and operators. */
const betweenWords = /^(?:\s|\[\[|\]\]|-[A-Za-z]{1,2}(?!\S)|[=!~<>()&|])*$/;

/** Reads the command. The words are leaves of its own: what is left over must be operators. */
export function readConditional(command: TestCommand, walk: Walk): void {
  const text = walk.source.slice(command.pos, command.end);
  walk.leaves.push({ pos: command.pos, end: command.end, kind: 'word' });
  const words: Word[] = [];
  readExpression(command.expression, { walk, words });
  let left = '';
  let at = command.pos;
  for (const { pos, end } of words) {
    if (pos < at) addUnreadable(walk, text, 'its words lie within each other');
    left += `${walk.source.slice(at, pos)} `;
    at = end;
  }
  left += walk.source.slice(at, command.end);
  if (!betweenWords.test(left)) addUnreadable(walk, text, 'it holds something that is no test');
}

interface Reading {
  readonly walk: Walk;
  readonly words: Word[];
}

function readExpression(expression: TestExpression, reading: Reading): void {
  switch (expression.type) {
    case 'TestUnary':
      readUnary(expression, reading);
      break;
    case 'TestBinary':
      readBinary(expression, reading);
      break;
    case 'TestLogical':
      for (const operand of expression.operands) readExpression(operand, reading);
      break;
    case 'TestNot':
      readExpression(expression.operand, reading);
      break;
    case 'TestGroup':
      readExpression(expression.expression, reading);
      break;
    default:
      addUnreadable(reading.walk, '[[ … ]]', 'it is a test of a kind that is not known');
  }
}

function readUnary({ operator, operand }: TestUnaryExpression, reading: Reading): void {
  const { value } = readOperand(operand, reading);
  // These look a variable up by its name, and a name may have a subscript.
  if ((operator === '-v' || operator === '-R') && !isName(value)) {
    addDoubt(reading.walk, operand.text, {
      level: 'anything',
      why: 'the name of a variable can run commands through a subscript',
    });
  }
}

function readBinary({ operator, left, right }: TestBinaryExpression, reading: Reading): void {
  const words = [readOperand(left, reading), operator === '=~' ? readRegex(right, reading) : readOperand(right, reading)];
  if (!arithmeticOperators.has(operator)) return;
  for (const { value, text } of words) readArithmetic(value ?? text.replace(/^"(.*)"$/, '$1'), reading.walk);
}

function readOperand(word: Word, { walk, words }: Reading): ShellWord {
  words.push(word);
  return readPart(word, walk);
}

/** A regular expression has its own rules for parentheses; where it has no blanks and no quotes, they do not matter. */
function readRegex(word: Word, reading: Reading): ShellWord {
  const isPlain = /^(?:[^\s'"\\`;&<>|$()]|\|(?!\|)|\$(?=\)|\||$)|[()])+$/.test(word.text);
  if (!isPlain || !isBalanced(word.text)) return readOperand(word, reading);
  reading.words.push(word);
  return { ...anyWords, text: word.text };
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    depth += char === '(' ? 1 : char === ')' ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth === 0;
}
