#!/usr/bin/env node
// The terminal entry: builds the World, calls runCli, holds the last-resort catch.
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { runCli } from './cli/run-cli.ts';
import { processWorld } from './compose/world.ts';

const world = processWorld();
const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interrupt.abort(new Error(`stopped by ${signal}`)));

try {
  const code = await runCli(process.argv.slice(2), async () => (process.stdin.isTTY ? null : await text(process.stdin)), world, {
    installation: {
      version: '0.1.0',
      toolHostEntry: path.join(import.meta.dirname, '..', 'tool-host', 'index.js'),
      cwd: process.cwd(),
    },
    signal: interrupt.signal,
  });
  process.exitCode = code;
} catch (error) {
  world.stderr(`harness9: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
}
