// The grep tool: which lines of which files match a regular expression. Changes nothing.
import path from 'node:path';
import { z } from 'zod';
import { quote } from '../shown-path.ts';
import type { Tool } from '../tool.ts';
import { defineTool, failure, success } from '../tool.ts';
import { parseExclusion } from './exclusion.ts';
import { Findings } from './findings.ts';
import { parseGlob } from './glob-pattern.ts';
import { searchLimitMs } from './left-out.ts';
import { compilePattern, type LinePattern } from './line-pattern.ts';
import { createPace, type Pace } from './pace.ts';
import { renderFindings } from './render-findings.ts';
import { type RipgrepUse, sieve, usualRipgrep } from './ripgrep.ts';
import { searchFile } from './search-file.ts';
import { findSearchRoot, type SearchPlaces, type SearchRoot } from './search-root.ts';
import { createReadBuffer } from './text-blocks.ts';
import { nothingLeftOut, walkFiles } from './walk.ts';

const defaultResults = 100;
const maxResults = 1000;

interface GrepOptions extends SearchPlaces {
  /** Whether and when ripgrep helps. */
  readonly ripgrep?: RipgrepUse;
}

/** grep over the files of the workspace. */
export function createGrepTool({ ripgrep = usualRipgrep, ...places }: GrepOptions): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Finds lines in the files of the workspace by a regular expression (RE2: no lookaround; \\( is a plain parenthesis); prints path:line: text. ' +
      'Hidden files are searched, binary ones are not; what git ignores only if path is in it.',
    place: 'host',
    effect: 'read',
    schema: z.object({
      pattern: z.string().min(1, 'a regular expression'),
      path: z.string().optional().describe('A file or directory.'),
      glob: z.string().optional().describe('Only such files: *.ts, !**/dist/**.'),
      ignore_case: z.boolean().optional(),
      context: z.number().int().min(0).max(20, 'at most 20 lines').optional().describe('Lines around each match.'),
      files_only: z.boolean().optional(),
      max_results: z.number().int().min(1, 'a number, from 1').optional().describe(`Default ${defaultResults}.`),
      exclude: z.array(z.string()).optional().describe('Paths to leave out.'),
    }),
    run: async (args, { signal }) => {
      const isExcluded = parseExclusion(args.exclude ?? []);
      if (typeof isExcluded === 'string') return failure(isExcluded);
      const root = await findSearchRoot(places, args.path, isExcluded);
      if (typeof root === 'string') return failure(root);
      const glob = parseGlob(args.glob ?? '**');
      if (glob.kind === 'broken') return failure(`The glob ${quote(args.glob ?? '')} cannot be used: ${glob.problem}.`);
      const compiled = await compilePattern(args.pattern, args.ignore_case ?? false);
      if (compiled.kind === 'broken') return failure(`The pattern ${quote(args.pattern)} cannot be used: ${compiled.problem}`);
      const findings = createFindings(args);
      const pace = createPace(signal, searchLimitMs);
      const leftOut = nothingLeftOut();
      const files = root.isFile ? [['']] : walkFiles({ root, accepts: glob.matches, isExcluded, pace, leftOut });
      await searchAll(files, { root, pattern: compiled.pattern, pace, findings, ripgrep });
      return success(renderFindings({ findings, root, leftOut, ...args, isWhole: !pace.isOver() }));
    },
  });
}

function createFindings(args: {
  readonly max_results?: number | undefined;
  readonly context?: number | undefined;
  readonly files_only?: boolean | undefined;
}): Findings {
  const isFilesOnly = args.files_only ?? false;
  const limit = Math.min(args.max_results ?? defaultResults, maxResults);
  return new Findings({ limit, around: isFilesOnly ? 0 : (args.context ?? 0), isFilesOnly });
}

interface Search {
  readonly root: SearchRoot;
  readonly pattern: LinePattern;
  readonly pace: Pace;
  readonly findings: Findings;
  readonly ripgrep: RipgrepUse;
}

type Batches = AsyncIterable<readonly string[]> | Iterable<readonly string[]>;

/** The files of the batches one after the other, until the pace is over. */
async function searchAll(batches: Batches, { root, pattern, pace, findings, ripgrep }: Search): Promise<void> {
  const buffer = createReadBuffer();
  for await (const files of batches) {
    const sieved = await sieve(files, ripgrep, { root, pattern, signal: pace.signal });
    findings.seen += files.length - sieved.length;
    for (const file of sieved) {
      if (pace.isDue()) await pace.rest();
      if (pace.isOver()) return;
      findings.seen += 1;
      const request = { pattern, wanted: findings.linesWanted, around: findings.around, buffer, pace };
      findings.add(path.join(root.shown, file), await searchFile(path.join(root.real, file), request));
    }
  }
}
