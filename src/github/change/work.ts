// The work of one run as it is looked at while it lasts and at its end: what a check of it writes is no part of it. Publishes nothing.
import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../schema/bundle.ts';
import { type Collected, type CollectRequest, collectChanges } from './collect-changes.ts';
import { addWrites, type Look, nothingAside, type SetAside, takeLook } from './set-aside.ts';

export interface WorkInProgress {
  /** What differs from the start. Ends a check that was cut short: what it wrote until now was its own. */
  collect(signal: AbortSignal): Promise<Collected>;
  /** A check begins. False: there is nothing to check, and it must not. */
  beginCheck(signal: AbortSignal): Promise<boolean>;
  endCheck(signal: AbortSignal): Promise<void>;
  /** Whether it is what there was when the last check began. */
  isAsChecked(collected: Collected): boolean;
}

/** A check that has begun. */
interface Check {
  readonly look: Look;
  readonly found: Collected;
}

/** Nothing was checked yet. `isBegun`: there is work in the files from the start, a merge with the base. */
export function createWork(request: Omit<CollectRequest, 'aside'>, isBegun = false): WorkInProgress {
  let aside: SetAside = nothingAside;
  let open: Check | undefined;
  let last: Collected | undefined;

  const endCheck = async (signal: AbortSignal): Promise<void> => {
    if (open === undefined) return;
    aside = addWrites(aside, { first: open.look, second: await takeLook(request, signal) }, open.found);
    open = undefined;
  };
  const collect = async (signal: AbortSignal): Promise<Collected> => {
    await endCheck(signal);
    return await collectChanges({ ...request, aside }, signal);
  };
  return {
    collect,
    endCheck,
    beginCheck: async (signal) => {
      const found = await collect(signal);
      if (!isBegun && !isChanged(found)) return false;
      open = { look: await takeLook(request, signal), found };
      last = found;
      return true;
    },
    isAsChecked: ({ changes }) => last !== undefined && isDeepStrictEqual(changes.map(contentOf), last.changes.map(contentOf)),
  };
}

/** Whether there is anything to publish, or to say why it is not. */
export function isChanged({ changes, leftOut }: Collected): boolean {
  return changes.length + leftOut.length > 0;
}

/** What is published; the patch is for people, and says less of a file when there are many. */
function contentOf({ patch: _patch, ...content }: Change) {
  return content;
}
