// What the texts of .gitignore files say of a path; reads no file itself.
import { type PathPattern, parsePathPattern } from './path-pattern.ts';

export interface IgnoreRules {
  /** `path` relative to the root, with `/` at the end for a folder; its parents are known not to be ignored. */
  isIgnored(path: string): boolean;
  /** How many patterns are asked for a path in this folder. */
  patternsFor(folder: string): number;
}

/** Rules from the texts of .gitignore files by their folder (`''` is the root). A deeper file decides over a higher one, as in git. */
export function createIgnoreRules(texts: ReadonlyMap<string, string>): IgnoreRules & { add(folder: string, text: string): void } {
  const byFolder = new Map<string, readonly PathPattern[]>();
  for (const [folder, text] of texts) byFolder.set(folder, parseIgnoreLines(text));

  function isIgnored(path: string): boolean {
    for (const [folder, rest] of foldersAbove(path).reverse()) {
      const decisive = lastMatch(byFolder.get(folder) ?? [], rest);
      if (decisive !== undefined) return !decisive.isNegated;
    }
    return false;
  }

  function patternsFor(folder: string): number {
    return foldersAbove(`${folder}/any`).reduce((sum, [above]) => sum + (byFolder.get(above)?.length ?? 0), 0);
  }

  return { isIgnored, patternsFor, add: (folder, text) => void byFolder.set(folder, parseIgnoreLines(text)) };
}

/** The last pattern that names this path decides; `path` ends in `/` for a folder. */
export function lastMatch(patterns: readonly PathPattern[], path: string): PathPattern | undefined {
  const isFolder = path.endsWith('/');
  const plain = isFolder ? path.slice(0, -1) : path;
  return patterns.findLast((pattern) => (isFolder || !pattern.isFolderOnly) && pattern.matches(plain));
}

/** The patterns of a .gitignore. Comments, empty lines, line ends of Windows and blanks that no backslash keeps are not part of one. */
export function parseIgnoreLines(text: string): PathPattern[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map(withoutBlanksAtEnd)
    .filter((line) => line !== '' && line !== '!' && !line.startsWith('#'))
    .map(parsePathPattern);
}

function withoutBlanksAtEnd(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ' && !isEscaped(line, end - 1)) end--;
  return line.slice(0, end);
}

function isEscaped(line: string, at: number): boolean {
  let start = at;
  while (start > 0 && line[start - 1] === '\\') start--;
  return (at - start) % 2 === 1;
}

/** Each folder above a path, from the root down, with the path as it is seen from there. */
export function foldersAbove(path: string): (readonly [folder: string, rest: string])[] {
  const folders: (readonly [string, string])[] = [['', path]];
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  for (let slash = path.indexOf('/'); slash >= 0 && slash < end; slash = path.indexOf('/', slash + 1)) {
    folders.push([path.slice(0, slash), path.slice(slash + 1)]);
  }
  return folders;
}
