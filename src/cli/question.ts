// What a person is asked about a call: its arguments as they are, so that nothing in them can pass for words of ours or hide. Pure.
import { structuredPatch } from 'diff';
import { argumentsOf, type ToolCall } from '../schema/message.ts';
import type { ApprovalRequest } from '../schema/plan-mode.ts';
import { writeOut } from './harmless.ts';

/** What the question is drawn with. `note`: what is known of the call besides its arguments. `isWhole`: nothing is cut. */
export interface Drawing {
  readonly columns: number | undefined;
  readonly redact: (text: string) => string;
  readonly note?: string | undefined;
  readonly isWhole?: boolean;
}

/** `isCut`: not all of the call is in the text. */
export interface Question {
  readonly text: string;
  readonly isCut: boolean;
}

/**
 * The call and the rule that asks. Each row of an argument begins with a bar, also where a long line goes on: a row without one is ours.
 * What cannot be seen, and what turns the reading direction around, is written out.
 */
export function renderQuestion({ call, reason }: ApprovalRequest, drawing: Drawing): Question {
  const width = rowWidth(drawing.columns);
  const fields = fieldsOf(call, drawing.redact);
  const shown = drawing.isWhole === true ? fields : fields.slice(0, maxFields);
  const blocks = shown.map((field) => cutRows(toRows(field, width), drawing.isWhole === true));
  const missing = fields.length - shown.length;
  const note = drawing.note === undefined ? '' : ` (${drawing.note})`;
  const title = inRows('', `harness9 asks before it runs ${shorten(call.name, drawing)}${note}:`, width);
  const why = inRows('  ', `why: ${shorten(reason, drawing)}`, width);
  const more = missing === 0 ? [] : [`  … ${missing} more arguments`];
  return {
    text: [...title, ...blocks.flatMap(({ rows }) => rows), ...more, ...why].map((row) => `${row}\n`).join(''),
    isCut: missing > 0 || blocks.some(({ isCut }) => isCut),
  };
}

/** More arguments than any tool has. */
const maxFields = 20;
/** Of one argument: what fits a screen together with the question. The end is where a command hides what comes after a long beginning. */
const headRows = 24;
const tailRows = 8;

function cutRows(rows: readonly string[], isWhole: boolean): { readonly rows: readonly string[]; readonly isCut: boolean } {
  const left = rows.slice(headRows, -tailRows);
  if (isWhole || left.length <= 1) return { rows, isCut: false };
  const characters = left.reduce((sum, row) => sum + row.length - bar.length, 0);
  const gap = `  … ${left.length} rows (${characters} characters) are not shown …`;
  return { rows: [...rows.slice(0, headRows), gap, ...rows.slice(-tailRows)], isCut: true };
}

/** A name or a rule: longer ones are cut. */
const maxWordCharacters = 400;

function shorten(text: string, { redact, isWhole }: Drawing): string {
  const visible = makeVisible(redact(text).replaceAll('\n', ' '));
  if (isWhole === true || visible.length <= maxWordCharacters) return visible;
  return `${visible.slice(0, maxWordCharacters).toWellFormed()}… (${visible.length - maxWordCharacters} more characters)`;
}

/** One argument as lines. */
type Field = readonly string[];

function fieldsOf(call: ToolCall, redact: Drawing['redact']): readonly Field[] {
  const given = argumentsOf(call);
  if (given === undefined) return [redact(call.arguments).split('\n')];
  const { old_string: before, new_string: after, ...others } = given;
  const isEdit = call.name === 'edit_file' && typeof before === 'string' && typeof after === 'string';
  if (!isEdit) return listFields(call.name, given, redact);
  return [...listFields(call.name, others, redact), diffOf(redact(before), redact(after))];
}

function listFields(tool: string, given: Readonly<Record<string, unknown>>, redact: Drawing['redact']): readonly Field[] {
  return Object.entries(given).map(([name, value]) => {
    const lines = redact(typeof value === 'string' ? value : JSON.stringify(value)).split('\n');
    if (tool === 'bash' && name === 'command') return lines.map((line, index) => `${index === 0 ? '$' : ' '} ${line}`);
    // What ends the last line is no line of its own.
    if (tool === 'write_file' && name === 'content')
      return lines.slice(0, lines.at(-1) === '' ? -1 : undefined).map((line) => `+ ${line}`);
    return lines.map((line, index) => (index === 0 ? `${redact(name)}: ${line}` : `  ${line}`));
  });
}

/** A pair of texts that takes longer to compare is shown as it is. */
const diffPatienceMs = 500;

/** Lines that are taken out and put in, with two around them. */
function diffOf(before: string, after: string): Field {
  const options = { context: 2, timeout: diffPatienceMs };
  const patch = structuredPatch('', '', `${before}\n`, `${after}\n`, undefined, undefined, options);
  const whole = [...before.split('\n').map((line) => `-${line}`), ...after.split('\n').map((line) => `+${line}`)];
  const hunks = patch === undefined || patch.hunks.length === 0 ? [whole] : patch.hunks.map(({ lines }) => lines);
  const marked = (line: string): string => `${line.slice(0, 1)} ${line.slice(1)}`;
  return hunks.flatMap((lines, index) => [...(index === 0 ? [] : ['⋮']), ...lines.map(marked)]);
}

const bar = '  │ ';
/** Where a line goes on. */
const againBar = '  ┆ ';

function toRows(lines: Field, width: number): readonly string[] {
  return lines.flatMap((line) => inRows(bar, makeVisible(line), width));
}

/** Only the first row begins as it is wished. */
function inRows(start: string, line: string, width: number): readonly string[] {
  return wrap(line, width).map((row, index) => `${index === 0 ? start : againBar}${row}`);
}

/** Narrower than this, or of unknown width, a terminal is taken to be as wide as most. */
const minColumns = 20;
const usualColumns = 80;

/** The last column stays free: a terminal that is full to it goes on to the next row by itself. */
function rowWidth(columns: number | undefined): number {
  return (columns === undefined || columns < minColumns ? usualColumns : columns) - bar.length - 1;
}

/** Rows that surely fit: a terminal that broke a line by itself would put its rest where our own words begin. */
function wrap(line: string, width: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  let taken = 0;
  for (const character of line) {
    const wide = columnsOf(character);
    if (taken + wide > width) {
      rows.push(row);
      row = '';
      taken = 0;
    }
    row += character;
    taken += wide;
  }
  return [...rows, row];
}

const tabColumns = 8;

/** As many as it may take. */
function columnsOf(character: string): number {
  if (character === '\t') return tabColumns;
  return /^[ -~]$/.test(character) ? 1 : 2;
}

/** What has no look of its own: controls, marks of direction, blanks of other widths and of none. */
const unseen = /(?![\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

function makeVisible(line: string): string {
  return line.replaceAll(unseen, writeOut);
}
