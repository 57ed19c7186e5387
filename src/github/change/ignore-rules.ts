// Which new files are left alone because a .gitignore says so; reads no file itself and knows nothing of `.git/info/exclude`.
import ignore, { type Ignore } from 'ignore';

export interface IgnoreRules {
  /** `path` relative to the root, with `/` at the end for a folder; its parents are known not to be ignored. */
  isIgnored(path: string): boolean;
}

/** Rules from the texts of .gitignore files by their folder (`''` is the root). A deeper file decides over a higher one, as in git. */
export function createIgnoreRules(texts: ReadonlyMap<string, string>): IgnoreRules {
  const byFolder = new Map<string, Ignore>();
  for (const [folder, text] of texts) byFolder.set(folder, ignore({ ignorecase: false, allowRelativePaths: false }).add(text));

  function isIgnored(path: string): boolean {
    let ignored = false;
    for (const [folder, rest] of foldersAbove(path)) {
      const result = byFolder.get(folder)?.test(rest);
      if (result?.ignored === true) ignored = true;
      else if (result?.unignored === true) ignored = false;
    }
    return ignored;
  }

  return { isIgnored };
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
