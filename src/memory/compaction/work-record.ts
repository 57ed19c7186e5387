// What the calls of a part of the history did: files written, commands run. Read from the calls and their results, never from prose. Pure.
import { argumentsOf, type Message, type ToolCall } from '../../schema/message.ts';
import { estimateText } from '../../schema/token-estimate.ts';
import { type Room, shortenText } from './shorten.ts';

interface FileWork {
  readonly path: string;
  readonly times: number;
}

interface CommandWork {
  readonly command: string;
  readonly times: number;
  readonly hasFailed: boolean;
}

const writingTools: ReadonlySet<string> = new Set(['write_file', 'edit_file']);
const commandTool = 'bash';
const maxLineTokens = 40;

const title = 'From the log of the calls:';

/** What lines may take, the line breaks behind them included. */
export type LineRoom = Pick<Room, 'tokens' | 'characters'>;

/** The record as text, so that nothing is done twice (G6-08): whole lines, as many as have room. Says so when there was nothing. */
export function renderWorkRecord(messages: readonly Message[], room: LineRoom): string {
  const calls = answeredCalls(messages);
  const files = filesOf(calls);
  const commands = commandsOf(calls);
  const filesTitle = files.length === 0 ? 'No file was written.' : 'Files written or edited, newest last:';
  const commandsTitle = commands.length === 0 ? 'No command was run.' : 'Commands run, newest last:';
  const rest = without(room, [title, filesTitle, commandsTitle]);
  const ofFiles = fileLines(files, commands.length === 0 ? rest : half(rest));
  const ofCommands = commandLines(commands, without(rest, ofFiles));
  return [title, filesTitle, ...ofFiles, commandsTitle, ...ofCommands].join('\n');
}

interface AnsweredCall {
  readonly call: ToolCall;
  readonly isError: boolean;
}

/** Calls with a result, in the order of the results. */
function answeredCalls(messages: readonly Message[]): readonly AnsweredCall[] {
  const open = new Map<string, ToolCall>();
  const answered: AnsweredCall[] = [];
  for (const message of messages) {
    for (const call of message.toolCalls ?? []) open.set(call.id, call);
    const call = message.toolCallId === undefined ? undefined : open.get(message.toolCallId);
    if (call === undefined) continue;
    answered.push({ call, isError: message.isError === true });
    open.delete(call.id);
  }
  return answered;
}

/** One entry a path, in the order of the last write; a write that failed changed nothing. */
function filesOf(calls: readonly AnsweredCall[]): readonly FileWork[] {
  const files = new Map<string, FileWork>();
  for (const { call, isError } of calls) {
    const path = writingTools.has(call.name) ? argumentsOf(call)?.path : undefined;
    if (typeof path !== 'string' || isError) continue;
    const times = (files.get(path)?.times ?? 0) + 1;
    files.delete(path);
    files.set(path, { path, times });
  }
  return [...files.values()];
}

/** One entry a command, in the order of the last run. */
function commandsOf(calls: readonly AnsweredCall[]): readonly CommandWork[] {
  const commands = new Map<string, CommandWork>();
  for (const { call, isError } of calls) {
    const command = call.name === commandTool ? argumentsOf(call)?.command : undefined;
    if (typeof command !== 'string') continue;
    const times = (commands.get(command)?.times ?? 0) + 1;
    commands.delete(command);
    commands.set(command, { command, times, hasFailed: isError });
  }
  return [...commands.values()];
}

/** By folder. When they do not fit, the older ones are only counted there: that files were written is not forgotten before their names. */
function fileLines(files: readonly FileWork[], room: LineRoom): readonly string[] {
  for (let named = files.length; named > 0; named = Math.floor(named / 2)) {
    const lines = [...countLines(files.slice(0, -named)), ...nameLines(files.slice(-named))];
    if (newestThatFit(lines, room).length === lines.length) return lines;
  }
  return newestThatFit(countLines(files), room);
}

function nameLines(files: readonly FileWork[]): readonly string[] {
  return [...byFolder(files)].map(([folder, inside]) => {
    const names = inside.map(({ path, times }) => {
      const name = oneLine(path.slice(path.lastIndexOf('/') + 1), maxLineTokens);
      return times === 1 ? name : `${name} (${times} times)`;
    });
    return `${line(folder, ': ')}${names.join(', ')}`;
  });
}

function countLines(files: readonly FileWork[]): readonly string[] {
  return [...byFolder(files)].map(([folder, inside]) => line(folder, `: ${counted(inside.length, 'file')}`));
}

function byFolder(files: readonly FileWork[]): ReadonlyMap<string, readonly FileWork[]> {
  return Map.groupBy(files, ({ path }) => path.slice(0, path.lastIndexOf('/') + 1) || './');
}

/** When they do not fit, the oldest are only counted. */
function commandLines(commands: readonly CommandWork[], room: LineRoom): readonly string[] {
  const lines = commands.map(({ command, times, hasFailed }) => line(command, outcomeOf(times, hasFailed)));
  if (newestThatFit(lines, room).length === lines.length) return lines;
  // All of them as a number is the longest that the line of the older ones can get.
  const kept = newestThatFit(lines, without(room, [olderLine(commands)]));
  return newestThatFit([olderLine(commands.slice(0, commands.length - kept.length)), ...kept], room);
}

function olderLine(commands: readonly CommandWork[]): string {
  const failed = commands.filter(({ hasFailed }) => hasFailed).length;
  return `- ${counted(commands.length, 'earlier command')}, ${failed} of them failed`;
}

function outcomeOf(times: number, hasFailed: boolean): string {
  if (times === 1) return hasFailed ? ' (failed)' : '';
  return hasFailed ? ` (${times} times, failed the last time)` : ` (${times} times, worked the last time)`;
}

/** The last lines that fit together. */
export function newestThatFit(lines: readonly string[], room: LineRoom): readonly string[] {
  let left = room;
  const tooMany = lines.findLastIndex((text) => {
    left = without(left, [text]);
    return left.tokens < 0 || (left.characters ?? 0) < 0;
  });
  return lines.slice(tooMany + 1);
}

function without({ tokens, characters = Number.POSITIVE_INFINITY }: LineRoom, lines: readonly string[]): LineRoom {
  return {
    tokens: lines.reduce((left, text) => left - estimateText(text) - 1, tokens),
    characters: lines.reduce((left, text) => left - text.length - 1, characters),
  };
}

function half({ tokens, characters = Number.POSITIVE_INFINITY }: LineRoom): LineRoom {
  return { tokens: tokens / 2, characters: characters / 2 };
}

function line(text: string, remark: string): string {
  return `- ${oneLine(text, maxLineTokens)}${remark}`;
}

/** A text as one line of about `tokens`. */
export function oneLine(text: string, tokens: number): string {
  return shortenText(text.trim(), { tokens }).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
