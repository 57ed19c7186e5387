#!/usr/bin/env node
// The terminal entry: builds the World, calls runCli, holds the last-resort catch.
import path from 'node:path';
import { runCli } from './cli/run-cli.ts';
import { version } from './compose/version.ts';
import { processWorld } from './compose/world.ts';
import { adviceOf, Harness9Error } from './schema/error.ts';
import { requireNode24 } from './schema/node-version.ts';

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
process.stdout.on('error', endUnread);
// Without stderr there is nobody to tell.
process.stderr.on('error', () => undefined);

try {
  requireNode24();
  process.exitCode = await runCli(process.argv.slice(2), processWorld(), {
    installation: { version, toolHostEntry: findToolHost(), cwd: findCurrentFolder() },
    stdin: process.stdin,
    stderr: process.stderr,
    signal: interrupt.signal,
  });
} catch (error) {
  process.stderr.write(`harness9: ${adviceOf(error)}\n`);
  process.exitCode = interrupt.signal.aborted ? 130 : 1;
}

/**
 * The first time the run is brought to an end that keeps what was done; the second time there is no waiting. A window that is closed
 * says so twice (the kernel and the shell), and means it once.
 */
function stop(signal: string): void {
  if (interrupt.signal.aborted && signal !== 'SIGHUP') process.exit(130);
  interrupt.abort(new Harness9Error({ code: 'CANCELLED', message: `stopped by ${signal}` }));
}

/** A reader that went away (`| head`) is no crash: nobody wants the rest of the run. An output that is lost (a full disk) is an error. */
function endUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && !interrupt.signal.aborted) {
    process.stderr.write(`harness9: the output could not be written: ${error.message}\n`);
    // Whatever the run ends with: the answer may come before the error.
    process.once('exit', () => {
      process.exitCode = 1;
    });
  }
  interrupt.abort(new Harness9Error({ code: 'OUTPUT_GONE', message: 'nobody reads the output any more' }));
}

/** null: it was removed. */
function findCurrentFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

/** Built, each entry has a folder of its own; as sources they lie side by side. */
function findToolHost(): string {
  const here = import.meta.dirname;
  return import.meta.filename.endsWith('.ts') ? path.join(here, 'tool-host.ts') : path.join(here, '..', 'tool-host', 'index.js');
}
