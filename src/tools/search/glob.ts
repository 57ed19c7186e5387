// The glob tool: which files there are, by a pattern of their paths. Reads no file.
import path from 'node:path';
import { z } from 'zod';
import { keepWithin } from '../keep-within.ts';
import { quote, showPath } from '../shown-path.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { defineTool, failure, success } from '../tool.ts';
import { parseExclusion } from './exclusion.ts';
import { parseGlob } from './glob-pattern.ts';
import { countOf, cutShort, describeIgnored, describeTrouble, maxAnswerBytes, searchLimitMs } from './left-out.ts';
import { createPace } from './pace.ts';
import { findSearchRoot, type SearchPlaces, type SearchRoot } from './search-root.ts';
import { type LeftOut, nothingLeftOut, walkFiles } from './walk.ts';

/** A page of names; who needs more has asked for too much. */
const maxFiles = 200;
/** Of the folders with most files, as many are named. */
const maxFolders = 6;

/** glob over the files of the workspace. */
export function createGlobTool(places: SearchPlaces): Tool {
  return defineTool({
    name: 'glob',
    description:
      'Finds files of the workspace by path: `src/**/*.{ts,tsx}`; a pattern without a slash is about the name, at any depth. Hidden files are ' +
      'found; what git ignores is not, unless path is in it.',
    place: 'host',
    effect: 'read',
    schema: z.object({
      pattern: z.string(),
      path: z.string().optional().describe('A directory.'),
      exclude: z.array(z.string()).optional().describe('Paths to leave out.'),
    }),
    run: async (args, { signal }) => {
      const isExcluded = parseExclusion(args.exclude ?? []);
      if (typeof isExcluded === 'string') return failure(isExcluded);
      const root = await findSearchRoot(places, args.path, isExcluded);
      if (typeof root === 'string') return failure(root);
      if (root.isFile) return failure(`"${showPath(root.shown)}" is a file; path is the directory to search.`);
      const given = relativeTo(root, places, args.pattern);
      const glob = parseGlob(given);
      if (glob.kind === 'broken') return failure(`The pattern ${quote(args.pattern)} cannot be used: ${glob.problem}.`);
      const pace = createPace(signal, searchLimitMs);
      const leftOut = nothingLeftOut();
      const found = new FoundFiles();
      for await (const files of walkFiles({ root, accepts: glob.matches, isExcluded, pace, leftOut })) found.add(files);
      return render({ found, root, leftOut, pattern: given, isWhole: !pace.isOver() });
    },
  });
}

/** Models are told where the workspace is, and some write whole paths. */
function relativeTo(root: SearchRoot, { workDir }: SearchPlaces, pattern: string): string {
  const prefix = [root.real, path.resolve(workDir, root.shown)].find((folder) => pattern.startsWith(`${folder}/`));
  return prefix === undefined ? pattern : pattern.slice(prefix.length);
}

class FoundFiles {
  readonly first: string[] = [];
  count = 0;
  readonly #byFolder = new Map<string, number>();

  add(files: readonly string[]): void {
    this.count += files.length;
    this.first.push(...files.slice(0, maxFiles - this.first.length));
    for (const file of files) {
      const folder = file.slice(0, file.indexOf('/') + 1);
      this.#byFolder.set(folder, (this.#byFolder.get(folder) ?? 0) + 1);
    }
  }

  /** Those with most of the files. */
  folders(): readonly (readonly [folder: string, count: number])[] {
    const all = [...this.#byFolder].filter(([folder]) => folder !== '');
    return all.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, maxFolders);
  }
}

interface Answer {
  readonly found: FoundFiles;
  readonly root: SearchRoot;
  readonly leftOut: LeftOut;
  readonly pattern: string;
  readonly isWhole: boolean;
}

function render({ found, root, leftOut, pattern, isWhole }: Answer): ToolOutcome {
  const total = `${isWhole ? '' : 'at least '}${countOf(found.count, 'file')}`;
  const notes = [...describeTrouble(leftOut), ...(isWhole ? [] : [cutShort])];
  if (found.count === 0) {
    const where = root.shown === '.' ? 'the workspace' : showPath(root.shown);
    const hints = [...adviceFor(pattern, root), ...notes, ...describeIgnored(leftOut, root.shown)];
    return success([`No file in ${where} matches ${quote(pattern)}.`, ...hints.map((hint) => `[${hint}]`)].join('\n'));
  }
  const shown = keepWithin(
    found.first.map((file) => showPath(path.join(root.shown, file))),
    maxAnswerBytes,
  );
  const isCut = found.count > shown.length;
  const end = [isCut ? `the first ${shown.length} of ${total}${describeFolders(found)}` : total, ...notes].join('; ');
  return success(`${shown.join('\n')}\n[${end}]`);
}

function describeFolders(found: FoundFiles): string {
  const folders = found.folders().map(([folder, count]) => `${showPath(folder)} ${count}`);
  const most = folders.length === 0 ? '' : `, most of them in ${folders.join(', ')}`;
  return `${most}; narrow it with path or the pattern`;
}

function adviceFor(pattern: string, { shown }: SearchRoot): readonly string[] {
  if (shown !== '.' && pattern.startsWith(`${shown}/`))
    return [`the pattern is relative to path: write ${pattern.slice(shown.length + 1)}`];
  if (!/[*?[{]/.test(pattern)) return [`only files are found; for a folder of that name write ${pattern.replace(/\/+$/, '')}/**`];
  return [];
}
