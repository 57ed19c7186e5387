// Owns how a check ends: every problem on a line of its own on stderr, exit code 1 when there is one.
import { readFile } from 'node:fs/promises';

/** Prints the problems and sets the exit code. */
export function report(problems: readonly string[]): void {
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

/** The file's text, or undefined when there is no such file; any other trouble throws. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
