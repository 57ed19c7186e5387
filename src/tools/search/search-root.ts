// Where a search begins: the argument `path` as a real file or folder of the workspace, or the words that say why not. Searches nothing.
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../../schema/error.ts';
import { isWithinMatch } from '../../schema/file-glob.ts';
import { isGitFolder } from '../../schema/git-folder.ts';
import { describeMissing } from '../near-names.ts';
import { isInside, readablePath } from '../safe-path.ts';
import type { Exclusion } from './exclusion.ts';

export interface SearchPlaces {
  readonly workDir: string;
  /** Absolute real paths of folders beside the workspace that may be searched, too. Default none. */
  readonly readableFolders?: readonly string[];
}

export interface SearchRoot {
  /** Real, as all of them. */
  readonly workspace: string;
  /** The workspace, or the folder beside it. */
  readonly within: string;
  readonly real: string;
  /** As the model would name it: relative to the workspace, `.` the workspace itself; absolute beside it. */
  readonly shown: string;
  readonly isFile: boolean;
}

/** The place that `input` names, the workspace without one; a text instead of it says what is wrong. Throws a PathError as safePath does. */
export async function findSearchRoot(
  { workDir, readableFolders }: SearchPlaces,
  input: string | undefined,
  isExcluded: Exclusion,
): Promise<SearchRoot | string> {
  const place = input || '.';
  const { root: within, file: real } = readablePath(workDir, readableFolders ?? [], place);
  const relative = path.relative(within, real);
  if (relative.split(path.sep).some(isGitFolder)) return `"${relative}" is git's own and is not searched; ask git about it.`;
  const stats = await lstat(real).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  });
  if (stats === undefined) return await describeMissing(real, within, place);
  if (!stats.isFile() && !stats.isDirectory()) return `"${place}" is neither a file nor a directory.`;
  const workspace = await realpath(workDir);
  const shown = within === workspace ? relative || '.' : real;
  if (namesInWorkspace({ workspace, workDir, place, real }).some((each) => isWithinMatch(each, isExcluded)))
    return `"${place}" is not searched: exclude or a permission rule leaves it out.`;
  return { workspace, within, real, shown, isFile: stats.isFile() };
}

interface Place {
  readonly workspace: string;
  readonly workDir: string;
  readonly place: string;
  readonly real: string;
}

/** As it leads and as it is written, whichever way the workspace is named: rules are about all of it, and about nothing beside the workspace. */
function namesInWorkspace({ workspace, workDir, place, real }: Place): readonly string[] {
  const roots = [workspace, path.resolve(workDir)];
  return [real, path.resolve(workspace, place)].flatMap((file) =>
    roots.filter((root) => isInside(root, file)).map((root) => path.relative(root, file)),
  );
}
