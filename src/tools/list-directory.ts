// The entries of a directory as a page for the model. Reads no file.
import { opendir } from 'node:fs/promises';
import { hasCode } from '../schema/error.ts';
import { keepWithin } from './keep-within.ts';
import type { HeldDirectory } from './open-file.ts';
import { holdDirectory } from './open-file.ts';
import { maxPageBytes } from './read-lines.ts';
import { isNameable, showPath } from './shown-path.ts';

const maxShown = 200;
/** Read to be sorted; of a directory with more, some are enough. */
const maxRead = 10_000;

export interface ListingRequest {
  /** As the model gave it. */
  readonly path: string;
  /** The first entry, from 1. */
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** What is in the directory at `realPath` (from safePath), or undefined when it is none. Throws a system error ENOENT when nothing is there. */
export async function listDirectory(realPath: string, request: ListingRequest): Promise<string | undefined> {
  try {
    await using held = await holdDirectory(realPath);
    const { names, isAll } = await loadNames(held);
    return render(names, isAll, request);
  } catch (error) {
    if (hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function loadNames(held: HeldDirectory): Promise<{ readonly names: readonly string[]; readonly isAll: boolean }> {
  const names: string[] = [];
  for await (const entry of await opendir(held.at('.'))) {
    if (names.length === maxRead) return { names: names.sort(), isAll: false };
    names.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
  }
  return { names: names.sort(), isAll: true };
}

function render(names: readonly string[], isAll: boolean, { path, offset = 1, limit = maxShown }: ListingRequest): string {
  const shown = keepWithin(names.slice(offset - 1, offset - 1 + Math.min(limit, maxShown)).map(showName), maxPageBytes);
  const next = offset + shown.length;
  const total = `${isAll ? '' : 'more than '}${names.length} ${names.length === 1 ? 'entry' : 'entries'}`;
  const left = names.length - next + 1;
  const more = shown.length > 0 && left > 0 ? `\n[… ${isAll ? '' : 'more than '}${left} more; read on with offset=${next}]` : '';
  return `"${path}" is a directory with ${total}${shown.length === 0 ? '' : ':'}\n${shown.join('\n')}${more}`.trimEnd();
}

function showName(name: string): string {
  return isNameable(name) ? showPath(name) : `${showPath(name)} (the name is not UTF-8, no tool can take it)`;
}
