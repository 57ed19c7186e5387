// Where a path really leads, for rules about files: the tools' own answer, so that what is judged is what is read or written.
import { resolveLinks } from '../tools/safe-path.ts';

/** As `PathParts` wants it. Rejects where links go round in circles, or a file stands where a folder should. */
export async function resolveRealPath(absolute: string): Promise<string> {
  return resolveLinks(absolute, absolute);
}
