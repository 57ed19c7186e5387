// The files of a commit as folders in memory, where a path is found through links as a file system would, and never outside of the commit (G1-44). Pure.
import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';

export interface TreeEntry {
  /** What is not UTF-8 in it is U+FFFD. */
  readonly path: string;
  readonly mode: string;
  readonly sha: string;
  /** The path's bytes when they are not UTF-8, else null. */
  readonly rawPath: Buffer | null;
}

export interface TreeFolder {
  readonly kind: 'folder';
  /** null: the commit's root. */
  readonly parent: TreeFolder | null;
  /** By name, in git's order. */
  readonly nodes: Map<string, TreeNode>;
}

interface TreeFile {
  readonly kind: 'file';
  readonly sha: string;
}

/** `target` null: it leads out of the repository, or its text is not known. */
interface TreeLink {
  readonly kind: 'link';
  readonly target: string | null;
}

type TreeNode = TreeFolder | TreeFile | TreeLink;

/** As many as Linux follows in one path. */
const maxLinks = 40;
/** The longest text that Linux follows. */
const maxTargetBytes = 4095;
/** Links to folders that a listing enters one in the other. */
const maxNestedLinks = 8;
/** What a listing looks at through links to folders; without links it is as long as the commit. */
const maxSeenThroughLinks = 100_000;

/** The entries that `git ls-tree -r -z` lists. */
export function parseTree(listing: Buffer): TreeEntry[] {
  // One character a byte, so that names which are not UTF-8 can be told apart.
  return listing
    .toString('latin1')
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , sha = ''] = line.slice(0, tab).split(' ');
      const bytes = Buffer.from(line.slice(tab + 1), 'latin1');
      return { mode, sha, path: bytes.toString('utf8'), rawPath: isUtf8(bytes) ? null : bytes };
    });
}

/** Whether an entry is a symbolic link. */
export function isLink({ mode }: TreeEntry): boolean {
  return mode === '120000';
}

/** The entries as folders; `linkTexts` by blob name. Sub-modules, and names that are not UTF-8, are left out. */
export function buildTree(entries: readonly TreeEntry[], linkTexts: ReadonlyMap<string, Buffer>): TreeFolder {
  const root = newFolder(null);
  for (const entry of entries) {
    const node = toNode(entry, linkTexts);
    if (node === null || entry.rawPath !== null) continue;
    const parts = entry.path.split('/');
    const name = parts.pop() ?? '';
    parts.reduce(folderIn, root).nodes.set(name, node);
  }
  return root;
}

function newFolder(parent: TreeFolder | null): TreeFolder {
  return { kind: 'folder', parent, nodes: new Map() };
}

function folderIn(parent: TreeFolder, name: string): TreeFolder {
  const there = parent.nodes.get(name);
  if (there?.kind === 'folder') return there;
  const made = newFolder(parent);
  parent.nodes.set(name, made);
  return made;
}

function toNode(entry: TreeEntry, linkTexts: ReadonlyMap<string, Buffer>): TreeNode | null {
  if (isLink(entry)) return { kind: 'link', target: targetOf(linkTexts.get(entry.sha)) };
  return entry.mode.startsWith('100') ? { kind: 'file', sha: entry.sha } : null;
}

function targetOf(text: Buffer | undefined): string | null {
  if (text === undefined || text.length > maxTargetBytes) return null;
  const target = text.toString('utf8');
  return target.startsWith('/') ? null : target;
}

/** The blob name of the file at `path`; null where there is none. */
export function findFile(root: TreeFolder, path: string): string | null {
  const found = path.startsWith('/') ? null : find(root, path);
  return found?.kind === 'file' ? found.sha : null;
}

/**
 * The paths of all files in `folder` and below it, in git's order, each as it is reached from there; none where it is no folder. A link to
 * a folder is entered, a link that leads nowhere is listed: reading it answers that there is no text.
 */
export function listFiles(root: TreeFolder, folder: string): string[] {
  const clean = posix.normalize(folder).replace(/\/$/, '');
  const found = folder.startsWith('/') ? null : find(root, clean);
  if (found?.kind !== 'folder') return [];
  const listing: Listing = { paths: [], seenThroughLinks: 0 };
  listInto(listing, { folder: found, above: upwards(found), prefix: clean === '.' ? '' : `${clean}/`, links: 0 });
  return listing.paths;
}

/** Part by part, since a link may stand anywhere on the way, and `..` means the folder above where it led. */
function find(from: TreeFolder, path: string, linksLeft = maxLinks): TreeFolder | TreeFile | null {
  let folder = from;
  const parts = path.split('/');
  for (const [index, part] of parts.entries()) {
    const node = step(folder, part);
    if (node?.kind === 'folder') folder = node;
    else if (node?.kind === 'link') return follow(node, { from: folder, rest: parts.slice(index + 1), linksLeft });
    else return index === parts.length - 1 ? node : null;
  }
  return folder;
}

interface Way {
  readonly from: TreeFolder;
  readonly rest: readonly string[];
  readonly linksLeft: number;
}

function follow({ target }: TreeLink, { from, rest, linksLeft }: Way): TreeFolder | TreeFile | null {
  return target === null || linksLeft === 0 ? null : find(from, [target, ...rest].join('/'), linksLeft - 1);
}

function step(folder: TreeFolder, part: string): TreeNode | null {
  if (part === '' || part === '.') return folder;
  return part === '..' ? folder.parent : (folder.nodes.get(part) ?? null);
}

function upwards(folder: TreeFolder): TreeFolder[] {
  return folder.parent === null ? [folder] : [folder, ...upwards(folder.parent)];
}

interface Listing {
  readonly paths: string[];
  seenThroughLinks: number;
}

/** A folder on the way of a listing. */
interface Visit {
  readonly folder: TreeFolder;
  /** The folders that the listing came through, by links too, and those above its begin. */
  readonly above: readonly TreeFolder[];
  readonly prefix: string;
  readonly links: number;
}

function listInto(listing: Listing, visit: Visit): void {
  for (const [name, node] of visit.folder.nodes) {
    if (visit.links > 0) listing.seenThroughLinks += 1;
    if (visit.links > 0 && listing.seenThroughLinks > maxSeenThroughLinks) return;
    const path = `${visit.prefix}${name}`;
    if (node.kind === 'file') listing.paths.push(path);
    else if (node.kind === 'folder') listInto(listing, enter(visit, node, path));
    else listLink(listing, visit, { name, path });
  }
}

function listLink(listing: Listing, visit: Visit, { name, path }: { readonly name: string; readonly path: string }): void {
  const led = find(visit.folder, name);
  if (led?.kind !== 'folder') listing.paths.push(path);
  // A link to a folder that it lies in goes round for ever.
  else if (!visit.above.includes(led) && visit.links < maxNestedLinks) {
    listInto(listing, { ...enter(visit, led, path), links: visit.links + 1 });
  }
}

function enter({ above, links }: Visit, folder: TreeFolder, path: string): Visit {
  return { folder, above: [...above, folder], prefix: `${path}/`, links };
}
