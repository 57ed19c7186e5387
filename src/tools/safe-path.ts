// The one guard of paths from the model: inside the workspace after all links are followed, or refused. Opens nothing.
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { hasCode } from '../schema/error.ts';
import { isGitFolder } from '../schema/git-folder.ts';
import { PathError } from './path-error.ts';

/** Linux refuses longer ones anyway; a text of a megabyte is not worth a system call. */
const maxPathChars = 4096;
/** As in the kernel: more links than this are a loop. */
const maxLinks = 40;
/** To the kernel, whatever is there. */
const namesDirectory = /(^|\/)\.{0,2}$/;

/**
 * The absolute real path of `input`, which is relative to `workDir` or absolute inside it. The last components may be missing.
 * Throws a PathError for everything outside, also through links (G4-16, C11), and with `purpose` `write` for everything under a `.git` (F5).
 */
export function safePath(workDir: string, input: string, purpose: 'read' | 'write' = 'read'): string {
  const { root, file } = readablePath(workDir, [], input);
  const asked = path.relative(root, path.resolve(root, input));
  if (purpose === 'write' && [path.relative(root, file), asked, input].some(namesGit)) {
    throw new PathError(
      'PATH_PROTECTED',
      `"${input}" is inside a .git directory, which is not written`,
      'Use git commands instead.',
    );
  }
  if (purpose === 'write' && namesDirectory.test(input)) {
    throw new PathError('PATH_NOT_A_FILE', `"${input}" names a directory`, 'Give the path of a file.');
  }
  return file;
}

/** As `safePath` for reading, also inside the `folders` (absolute and real, need not exist); with the real path of the one it is in. */
export function readablePath(
  workDir: string,
  folders: readonly string[],
  input: string,
): { readonly root: string; readonly file: string } {
  refuseMalformed(input);
  const workspace = realpathSync(workDir);
  const file = resolveLinks(path.resolve(workspace, input), input);
  const root = [workspace, ...folders].find((each) => isInside(each, file));
  if (root !== undefined) return { root, file };
  throw new PathError('PATH_OUTSIDE', `"${input}" is outside the workspace`, `Give a path relative to ${workDir}.`);
}

/** Whether `child` is `root` or below it; both absolute and real. */
export function isInside(root: string, child: string): boolean {
  return child === root || child.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
}

function refuseMalformed(input: string): void {
  if (input.includes('\0')) throw new PathError('PATH_INVALID', 'the path holds a NUL character');
  // It would be another name: what has no bytes is written as a replacement character.
  if (!input.isWellFormed()) throw new PathError('PATH_INVALID', 'the path holds half a character');
  if (input.length > maxPathChars) throw new PathError('PATH_INVALID', `the path is ${input.length} characters long`);
  if (input === '~' || input.startsWith('~/')) {
    throw new PathError('PATH_OUTSIDE', `"${input}" is a home directory, which is outside the workspace`);
  }
}

/**
 * Where an absolute path really leads: every link is followed, also one to what does not exist, which is appended to the deepest real ancestor.
 * Throws a PathError that names `input` where it leads nowhere.
 */
export function resolveLinks(absolute: string, input: string, links = 0): string {
  if (links > maxLinks) throw new PathError('PATH_INVALID', `"${input}" goes through a loop of symbolic links`);
  try {
    return realpathSync(absolute);
  } catch (error) {
    if (hasCode(error, 'ELOOP')) throw new PathError('PATH_INVALID', `"${input}" goes through a loop of symbolic links`);
    if (hasCode(error, 'ENOTDIR'))
      throw new PathError('PATH_NOT_FOUND', `"${input}" goes through a file as if it were a directory`);
    if (hasCode(error, 'ENAMETOOLONG'))
      throw new PathError('PATH_INVALID', `"${input.slice(0, 100)}…" has a name that is too long`);
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  const parent = resolveLinks(path.dirname(absolute), input, links);
  const real = path.join(parent, path.basename(absolute));
  const target = readDanglingLink(real);
  return target === undefined ? real : resolveLinks(path.resolve(parent, target), input, links + 1);
}

function readDanglingLink(absolute: string): string | undefined {
  if (lstatSync(absolute, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  return readlinkSync(absolute);
}

function namesGit(file: string): boolean {
  return file.split(/[/\\]/).some(isGitFolder);
}
