// A command line as a list of steps. What cannot be read becomes a step as well: whoever judges must see it.
import { type ParsedScript, parse, type Statement } from 'unbash';
import { findUnread } from './account-for.ts';
import { addTaintedValues } from './arithmetic.ts';
import { readStatements } from './read-script.ts';
import type { CommandReading, Step } from './step.ts';
import { addUnreadable, type LineState, maxDepth, type Walk } from './walk.ts';

/** The bash tool takes no more, either. */
const maxChars = 128 * 1024;
/** Where options are not understood, a command is read in several ways, which multiplies with each one within. */
const maxCommandsWithin = 20_000;
const maxCharsWithin = 256 * 1024;

/** Takes `command` apart, with all that stands within it. */
export function readCommandLine(command: string): CommandReading {
  const state: LineState = {
    changesFolder: false,
    commandsLeft: maxCommandsWithin,
    charsLeft: maxCharsWithin,
    isNumber: new Map(),
    lists: new Set(),
    declared: [],
    sums: [],
  };
  const walk = createWalk(command, state, { steps: [], depth: 0 });
  try {
    walk.steps.push(...readText(command, state, 0));
  } catch (error) {
    // Neither the parser nor we keep count of every way to nest.
    if (!(error instanceof RangeError)) throw error;
    addUnreadable(walk, command, 'it is nested too deep');
  }
  addTaintedValues(walk);
  return { steps: walk.steps, changesFolder: state.changesFolder };
}

function readText(text: string, state: LineState, depth: number): readonly Step[] {
  const walk = createWalk(text, state, { steps: [], depth });
  state.charsLeft -= text.length;
  const isTooMuch = depth > maxDepth || state.charsLeft < 0;
  const problem = isTooMuch ? 'there are too many commands within commands' : findOddCharacter(text);
  if (problem === undefined) readWhole(parse(text), walk);
  else addUnreadable(walk, text, problem);
  return walk.steps;
}

function createWalk(source: string, state: LineState, { steps, depth }: Pick<Walk, 'steps' | 'depth'>): Walk {
  const walk: Walk = {
    source,
    state,
    steps,
    depth,
    leaves: [],
    nest: (script, start, end) => {
      const text = source.slice(start, end);
      const isWhere = script !== undefined && script.source === undefined && script.pos === start && script.end === end;
      if (isWhere) readNested(script, createWalk(source, state, { steps, depth }));
      else addUnreadable(walk, text, 'a command within it is not where it seems to be');
    },
    readText: (inner, innerDepth) => readText(inner, state, innerDepth),
  };
  return walk;
}

/** bash 5.2 writes what is in `$(…)` down and reads it again, and loses a `;` behind a here-document: two commands become one. */
function readNested(script: ParsedScript, walk: Walk): void {
  readWhole(script, walk);
  const [statement, ...more] = script.commands;
  const isAlone = more.length === 0 && statement?.background !== true && isPlain(statement?.command);
  const hasDocument = walk.leaves.some(({ kind }) => kind === 'document');
  if (!hasDocument || isAlone) return;
  addUnreadable(walk, walk.source.slice(script.pos, script.end), 'a here-document within $(…) must stand with one command alone');
}

function isPlain(command: Statement['command'] | undefined): boolean {
  return (
    command?.type === 'Command' || (command?.type === 'Pipeline' && command.commands.every(({ type }) => type === 'Command'))
  );
}

/** Reads a script, and makes sure that nothing of its text was left out. */
function readWhole({ pos, end, errors, commands }: ParsedScript, walk: Walk): void {
  const [error] = errors ?? [];
  if (error === undefined) readStatements(commands, walk);
  else addUnreadable(walk, walk.source.slice(pos, end), `bash would not read it either, as it seems: ${error.message}`);
  const unread = error === undefined ? findUnread({ source: walk.source, start: pos, end }, walk.leaves) : undefined;
  if (unread !== undefined) addUnreadable(walk, unread, 'it is not clear what it is to bash');
}

/** Characters that bash, or the way to it, may take for something else than they seem. */
function findOddCharacter(text: string): string | undefined {
  if (text.length > maxChars) return 'it is longer than 128 KB';
  if (!text.isWellFormed()) return 'it holds half of a character';
  const [odd] = /[\p{Cc}--[\t\n]]/v.exec(text) ?? [];
  if (odd === undefined) return undefined;
  return `it holds the control character ${JSON.stringify(odd)}: write it as an escape, in $'…'`;
}
