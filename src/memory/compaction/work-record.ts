// What the calls of a part of the history did: files written, commands run. Read from the calls and their results, never from prose. Pure.
import { argumentsOf, type Message, type ToolCall } from '../../schema/message.ts';
import { estimateText } from '../token-estimate.ts';
import { shortenText } from './shorten.ts';

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

/** The record as text of about `tokens`, so that nothing is done twice (G6-08). Says so when there was nothing. */
export function renderWorkRecord(messages: readonly Message[], tokens: number): string {
  const calls = answeredCalls(messages);
  const files = filesOf(calls);
  const commands = commandsOf(calls);
  const ofFiles = fileLines(files, commands.length === 0 ? tokens : tokens / 2);
  const ofCommands = commandLines(commands, tokens - tokensOf(ofFiles));
  return [
    'From the log of the calls:',
    ...(files.length === 0 ? ['No file was written.'] : ['Files written or edited, newest last:', ...ofFiles]),
    ...(commands.length === 0 ? ['No command was run.'] : ['Commands run, newest last:', ...ofCommands]),
  ].join('\n');
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
function fileLines(files: readonly FileWork[], tokens: number): readonly string[] {
  for (let named = files.length; named > 0; named = Math.floor(named / 2)) {
    const lines = [...countLines(files.slice(0, -named)), ...nameLines(files.slice(-named))];
    if (tokensOf(lines) <= tokens) return lines;
  }
  return newestThatFit(countLines(files), tokens);
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
function commandLines(commands: readonly CommandWork[], tokens: number): readonly string[] {
  const lines = commands.map(({ command, times, hasFailed }) => line(command, outcomeOf(times, hasFailed)));
  const kept = newestThatFit(lines, tokens);
  const older = commands.slice(0, commands.length - kept.length);
  if (older.length === 0) return kept;
  const failed = older.filter(({ hasFailed }) => hasFailed).length;
  return [`- ${counted(older.length, 'earlier command')}, ${failed} of them failed`, ...kept];
}

function outcomeOf(times: number, hasFailed: boolean): string {
  if (times === 1) return hasFailed ? ' (failed)' : '';
  return hasFailed ? ` (${times} times, failed the last time)` : ` (${times} times, worked the last time)`;
}

function tokensOf(lines: readonly string[]): number {
  return lines.reduce((sum, text) => sum + estimateText(text) + 1, 0);
}

/** The last lines that fit into `tokens` together. */
export function newestThatFit(lines: readonly string[], tokens: number): readonly string[] {
  let left = tokens;
  const tooMany = lines.findLastIndex((text) => {
    left -= estimateText(text) + 1;
    return left < 0;
  });
  return lines.slice(tooMany + 1);
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
