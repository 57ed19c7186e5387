// Which paths and link targets may be published; pure, used when changes are collected and again when a bundle is validated (E8, F5).
import { posix } from 'node:path';
import { isGitFolder } from '../../schema/git-folder.ts';

/** Longer paths are refused by git on common systems. */
const maxPathBytes = 4096;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u;
/** Format characters: bidi overrides, zero widths, tags; some file systems drop them, so `.git` could hide behind one. */
const invisible = /\p{Cf}/u;

/** Why this path may not be published, or null when it may. */
export function refusePath(path: string): string | null {
  if (path === '') return 'the path is empty';
  if (Buffer.byteLength(path) > maxPathBytes) return `the path is longer than ${maxPathBytes} bytes`;
  if (controls.test(path)) return 'the path holds a control character';
  if (invisible.test(path)) return 'the path holds an invisible character';
  if (!path.isWellFormed() || path.includes('\ufffd')) return 'the path is not UTF-8';
  if (path.includes('\\')) return 'the path holds a backslash';
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'the path is absolute';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'the path is not normalised';
  if (parts.some(isGitFolder)) return 'the path lies in a .git folder';
  return null;
}

/** Why a link at `path` with this text may not be published, or null: its target must stay in the tree and out of `.git` (E8). */
export function refuseLink(path: string, target: string): string | null {
  if (target === '' || controls.test(target) || !target.isWellFormed()) return 'the link’s target is not a path';
  if (target.includes('\\')) return 'the link’s target holds a backslash';
  if (target.startsWith('/') || /^[a-z]:/i.test(target)) return 'the link points to an absolute path';
  const resolved = posix.join(posix.dirname(path), target);
  if (resolved === '..' || resolved.startsWith('../')) return 'the link points outside the repository';
  if (resolved.split('/').some(isGitFolder)) return 'the link points into a .git folder';
  return null;
}

/** A path as it may be shown: what nobody sees of it stands as the sign for what is not known. */
export function printablePath(path: string): string {
  return path.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
}
