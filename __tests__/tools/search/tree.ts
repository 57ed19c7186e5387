// A temporary folder with files, and the searching tools over it with and without ripgrep, for the tests of this folder.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach } from '@jest/globals';
import { createGlobTool } from '../../../src/tools/search/glob.ts';
import { createGrepTool } from '../../../src/tools/search/grep.ts';
import type { RipgrepUse } from '../../../src/tools/search/ripgrep.ts';
import { usualRipgrep } from '../../../src/tools/search/ripgrep.ts';
import type { Tool } from '../../../src/tools/tool.ts';

export const withoutRipgrep: RipgrepUse = { places: [], minFiles: 0 };
/** Also for a few files. */
export const withRipgrep: RipgrepUse = { ...usualRipgrep, minFiles: 0 };
export const hasRipgrep = usualRipgrep.places.some((place) => existsSync(place));

export interface Tree {
  readonly dir: string;
  write(files: Readonly<Record<string, string | Buffer>>): void;
  /** Makes it a repository of git. */
  init(): void;
  remove(): void;
}

function createTree(): Tree {
  const dir = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'harness9-search-')));
  return {
    dir,
    write: (files) => {
      for (const [name, content] of Object.entries(files)) {
        const file = path.join(dir, name);
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, content);
      }
    },
    init: () => void execFileSync('git', ['init', '-q', dir]),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** New trees for the tests of a file, gone after each of them. */
export function useTrees(): () => Tree {
  const trees: Tree[] = [];
  afterEach(() => {
    for (const tree of trees.splice(0)) tree.remove();
  });
  return () => {
    const tree = createTree();
    trees.push(tree);
    return tree;
  };
}

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

export async function run(tool: Tool, args: unknown, signal = new AbortController().signal): Promise<Answer> {
  const outcome = await tool.execute(args, { signal });
  if (typeof outcome === 'string') return { text: outcome, isError: false };
  return { text: typeof outcome.output === 'string' ? outcome.output : JSON.stringify(outcome.output), isError: outcome.isError };
}

/** The text of an answer that is no error. */
export async function grep(dir: string, args: unknown, ripgrep = withoutRipgrep): Promise<string> {
  const { text, isError } = await run(createGrepTool({ workDir: dir, ripgrep }), args);
  if (isError) throw new Error(text);
  return text;
}

export async function glob(dir: string, args: unknown): Promise<string> {
  const { text, isError } = await run(createGlobTool({ workDir: dir }), args);
  if (isError) throw new Error(text);
  return text;
}

/** The paths that an answer of glob lists. */
export function pathsOf(answer: string): readonly string[] {
  return answer.startsWith('No file') ? [] : answer.split('\n').slice(0, -1);
}
