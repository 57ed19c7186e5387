// How a command ended, or that it never began, in words for the model. They say what is known and no more. Pure.
import { constants } from 'node:os';
import { messageOf } from '../../schema/error.ts';
import { isRecord } from '../../schema/record.ts';
import type { CommandEnd, CommandResult } from './run-command.ts';

/** In brackets, so that it is no part of the output. `maxSeconds`: what a call may ask for. */
export function describeEnd(
  { end, stdout, stderr, background }: CommandResult,
  { seconds, maxSeconds }: { readonly seconds: number; readonly maxSeconds: number },
): string {
  const rawBytes = stdout.rawBytes + stderr.rawBytes;
  const isSilent = stdout.totalBytes + stderr.totalBytes === 0;
  const invisible = rawBytes === 0 ? ', no output' : `, ${rawBytes} bytes of output and nothing in them to be seen`;
  const advice = `; this says nothing about the code: narrow the command or raise timeout_secs (at most ${maxSeconds})`;
  const loss = background === 'writing' ? '; what it prints from now on is lost' : '';
  return [
    `[${nameEnd(end, seconds)}${isSilent ? invisible : ''}${end.kind === 'timeout' ? advice : ''}]`,
    ...(background === 'none' ? [] : [`[a background process of this command is still running${loss}]`]),
  ].join('\n');
}

function nameEnd(end: CommandEnd, seconds: number): string {
  switch (end.kind) {
    case 'exit':
      return `exit code ${end.code}${explainCode(end.code)}`;
    case 'signal':
      return `killed by ${end.signal}, exit code ${128 + constants.signals[end.signal]}`;
    case 'timeout':
      return `timed out after ${seconds} s and was killed`;
    case 'abort':
      return 'cancelled and killed';
  }
}

/** The shell itself ended well; a command in it may not have. */
function explainCode(code: number): string {
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return name === undefined ? '' : `, as after ${name}`;
}

/** Why bash could not be started, from the system's error. */
export function describeStart(error: unknown, workDir: string): string {
  const code = isRecord(error) && typeof error.code === 'string' ? error.code : messageOf(error);
  switch (code) {
    case 'ENOENT':
      return `The workspace ${workDir} does not exist any more; nothing can be run there.`;
    case 'ENOTDIR':
    case 'EACCES':
      return `The workspace ${workDir} cannot be entered any more (${code}); nothing can be run there.`;
    case 'E2BIG':
      return 'bash: the command and its environment are too long together. Nothing was run. Write a script with write_file and run that.';
    case 'EAGAIN':
    case 'ENOMEM':
    case 'EMFILE':
    case 'ENFILE':
      return `bash: the machine has no room for one more process (${code}). Nothing was run. End what runs in the background, then call again.`;
    default:
      return `bash: it could not be started (${code}). Nothing was run.`;
  }
}
