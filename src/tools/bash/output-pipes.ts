// The pipes that commands write to. Node's own are sockets: nothing can open /dev/stderr on one, and who reads from one waits for ever (G5-06).
import { execFile } from 'node:child_process';
import { closeSync, constants, existsSync, fstatSync, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import type { PrivateFolder } from './private-folder.ts';

/** Made at once: starting a program costs as much as a command. */
const batchSize = 16;
const mkfifoPaths = ['/usr/bin/mkfifo', '/bin/mkfifo'];
const mkfifoTimeoutMs = 5000;

export interface OutputPipe {
  readonly reader: Socket;
  /** A descriptor: for the command, and to be closed here when that is started. */
  readonly writeEnd: number;
}

export interface OutputPipes {
  /** A new pipe without a name; null where none can be made: the disk is full, or this is no Linux. */
  take(): Promise<OutputPipe | null>;
}

/** Pipes that begin as named ones in `folder`: there is no other way to one from Node. */
export function createOutputPipes(folder: PrivateFolder): OutputPipes {
  const mkfifo = process.platform === 'linux' ? mkfifoPaths.find((candidate) => existsSync(candidate)) : undefined;
  let files: string[] = [];
  let count = 0;
  const makeMore = async (program: string): Promise<void> => {
    // Only to be sure that it is there, and no link.
    await using _held = await folder.open();
    count += 1;
    const made = Array.from({ length: batchSize }, (_, index) => path.join(folder.path, `${count}-${index}`));
    await promisify(execFile)(program, ['-m', '600', ...made], { env: {}, timeout: mkfifoTimeoutMs });
    files = [...files, ...made];
  };
  return {
    take: async () => {
      if (mkfifo === undefined) return null;
      try {
        if (files.length === 0) await makeMore(mkfifo);
        return openPipe(files.pop() ?? '');
      } catch {
        // A command took them away, or the folder with them. The next call makes new ones.
        files = [];
        return null;
      }
    },
  };
}

/** Both ends of exactly one pipe, whatever a command made of its name meanwhile; the name goes. */
function openPipe(file: string): OutputPipe {
  const readEnd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if (!fstatSync(readEnd).isFIFO()) throw new Error('it is no pipe any more');
    const writeEnd = openSync(`/proc/self/fd/${readEnd}`, constants.O_WRONLY);
    unlinkSync(file);
    return { reader: new Socket({ fd: readEnd, readable: true, writable: false }), writeEnd };
  } catch (error) {
    closeSync(readEnd);
    throw error;
  }
}
