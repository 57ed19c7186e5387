#!/usr/bin/env node
// The terminal entry: builds the World, calls runCli, holds the last-resort catch.
import path from 'node:path';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from './cli/run-cli.ts';
import { processWorld } from './compose/world.ts';
import { adviceOf } from './schema/error.ts';
import { requireNode24 } from './schema/node-version.ts';

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interrupt.abort(new Error(`stopped by ${signal}`)));
// A reader that went away (`| head`) is no crash; nobody reads what is left to say.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  requireNode24();
  process.exitCode = await runCli(process.argv.slice(2), readPipedInput, processWorld(), {
    installation: {
      version: '0.1.0',
      toolHostEntry: path.join(import.meta.dirname, '..', 'tool-host', 'index.js'),
      cwd: process.cwd(),
    },
    signal: interrupt.signal,
  });
} catch (error) {
  process.stderr.write(`harness9: ${adviceOf(error)}\n`);
  process.exitCode = interrupt.signal.aborted ? 130 : 1;
}

async function readPipedInput(): Promise<string | null> {
  return process.stdin.isTTY ? null : await text(addAbortSignal(interrupt.signal, process.stdin));
}
