/** The files through which a step talks to the runner: GITHUB_OUTPUT, _ENV, _STATE, _PATH, _STEP_SUMMARY. Creates and reads them. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const NAMES = ['OUTPUT', 'ENV', 'STATE', 'PATH', 'STEP_SUMMARY'] as const;
export type CommandFile = (typeof NAMES)[number];

export type CommandFiles = Readonly<Record<CommandFile, string>>;

// GitHub keeps 1 MiB of a step's summary and refuses the rest.
const MAX_SUMMARY_BYTES = 1024 * 1024;

/** What a step wrote. `problems` are the errors that the runner would fail the step with. */
export interface CommandFileContent {
  readonly outputs: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
  readonly summary: string;
  readonly problems: readonly string[];
}

/** Empty files for one step; every step gets its own. */
export async function createCommandFiles(directory: string, step: string): Promise<CommandFiles> {
  await mkdir(directory, { recursive: true });
  const fileOf = (name: string): string => path.join(directory, `${name.toLowerCase()}_${step}`);
  await Promise.all(NAMES.map((name) => writeFile(fileOf(name), '')));
  return {
    OUTPUT: fileOf('OUTPUT'),
    ENV: fileOf('ENV'),
    STATE: fileOf('STATE'),
    PATH: fileOf('PATH'),
    STEP_SUMMARY: fileOf('STEP_SUMMARY'),
  };
}

/** Reads what the step left in its files. */
export async function readCommandFiles(files: CommandFiles): Promise<CommandFileContent> {
  const read = (name: CommandFile): Promise<string> => readFile(files[name], 'utf8');
  const [output, env, state, paths, summary] = await Promise.all([
    read('OUTPUT'),
    read('ENV'),
    read('STATE'),
    read('PATH'),
    read('STEP_SUMMARY'),
  ]);
  const problems: string[] = [];
  const pairs = (file: CommandFile, text: string): Record<string, string> => {
    try {
      return parsePairs(text);
    } catch (error) {
      problems.push(
        `Unable to process file command '${file.toLowerCase()}' successfully. ${error instanceof Error ? error.message : ''}`,
      );
      return {};
    }
  };
  const isTooLong = Buffer.byteLength(summary) > MAX_SUMMARY_BYTES;
  if (isTooLong)
    problems.push(`$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of ${MAX_SUMMARY_BYTES / 1024}k`);
  return {
    outputs: pairs('OUTPUT', output),
    env: pairs('ENV', env),
    state: pairs('STATE', state),
    paths: paths.split(/\r?\n/).filter((line) => line !== ''),
    summary: isTooLong ? '' : summary,
    problems,
  };
}

/** `name=value` lines and `name<<DELIMITER` blocks. */
export function parsePairs(text: string): Record<string, string> {
  const pairs: [string, string][] = [];
  const lines = text.split(/\r?\n/);
  while (lines.length > 0) {
    const line = lines.shift() ?? '';
    if (line === '') continue;
    const [equals, heredoc] = [line.indexOf('='), line.indexOf('<<')];
    if (heredoc > 0 && (equals < 0 || heredoc < equals))
      pairs.push([line.slice(0, heredoc), takeBlock(lines, line.slice(heredoc + 2))]);
    else if (equals > 0) pairs.push([line.slice(0, equals), line.slice(equals + 1)]);
    else throw new Error(`Invalid format '${line}'`);
  }
  return Object.fromEntries(pairs);
}

function takeBlock(lines: string[], delimiter: string): string {
  const end = lines.indexOf(delimiter);
  if (delimiter === '' || end < 0) throw new Error(`Invalid value. Matching delimiter not found '${delimiter}'`);
  const block = lines.splice(0, end + 1);
  return block.slice(0, -1).join('\n');
}
