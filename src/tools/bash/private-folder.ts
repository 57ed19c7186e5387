// A folder of our own beside the workspace, where commands of the model can reach it: private, made when needed, gone with the tools.
import { realpathSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../../schema/error.ts';
import { type HeldDirectory, holdDirectory } from '../open-file.ts';

export interface PrivateFolderOptions {
  /** Where the folder is made, outside of the workspace. */
  readonly parent: string;
  /** Its name; unguessable, since the commands of the model write beside it. */
  readonly name: string;
  /** When it aborts, the folder goes with everything in it. */
  readonly lifetime: AbortSignal;
}

export interface PrivateFolder {
  /** Absolute and real; there may be none yet. */
  readonly path: string;
  /** Makes it, also again when a command took it away. Rejects when it cannot be made, and when a command put a link in its place. */
  open(): Promise<HeldDirectory>;
}

/** Nothing is made before `open`. */
export function createPrivateFolder({ parent, name, lifetime }: PrivateFolderOptions): PrivateFolder {
  const folder = path.join(realParent(parent), name);
  let isToBeRemoved = false;
  return {
    path: folder,
    open: async () => {
      lifetime.throwIfAborted();
      if (!isToBeRemoved)
        lifetime.addEventListener('abort', () => rmSync(folder, { recursive: true, force: true }), { once: true });
      isToBeRemoved = true;
      await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw error;
      });
      return holdDirectory(folder);
    },
  };
}

function realParent(parent: string): string {
  try {
    return realpathSync(parent);
  } catch {
    // Whoever wants to write in it will hear of it.
    return path.resolve(parent);
  }
}
