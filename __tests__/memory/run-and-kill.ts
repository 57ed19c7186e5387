// A process that says in lines what it has done, and is killed when it has said enough.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** All its lines. `killAfter`: of so many; undefined: it ends by itself. */
export async function runAndKill(
  program: string,
  args: readonly string[],
  killAfter: number | undefined,
): Promise<readonly string[]> {
  const running = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => running.on('close', resolve));
  const lines: string[] = [];
  for await (const line of createInterface(running.stdout)) {
    lines.push(line);
    if (lines.length === killAfter) running.kill('SIGKILL');
  }
  await ended;
  return lines;
}
