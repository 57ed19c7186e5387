// Where a path really leads: links followed as far as it is there. For rules about files, which hold for where a write would go.
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../schema/error.ts';

/** The real path of the deepest folder that is there, with the rest as written. Rejects where links go round in circles, or may not be followed. */
export async function resolveRealPath(given: string): Promise<string> {
  try {
    return await realpath(given);
  } catch (error) {
    const parent = path.dirname(given);
    if (!hasCode(error, 'ENOENT', 'ENOTDIR') || parent === given) throw error;
    return path.join(await resolveRealPath(parent), path.basename(given));
  }
}
