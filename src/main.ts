// The Action's entry: builds the World, calls runAction, holds the last-resort catch.
import path from 'node:path';
import { runAction } from './action/run-action.ts';
import { gitHubRunner } from './action/runner.ts';
import { processWorld } from './compose/world.ts';
import { Harness9Error, messageOf } from './schema/error.ts';

const cancel = new AbortController();
// A runner cancels with SIGINT, then SIGTERM; the second one changes nothing.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => cancel.abort(new Harness9Error({ code: 'CANCELLED', message: `cancelled by ${signal}` })));
}

const runner = gitHubRunner();
try {
  const distDir = path.join(import.meta.dirname, '..');
  const installation = { distDir, toolHostEntry: path.join(distDir, 'tool-host', 'index.js') };
  process.exitCode = await runAction(processWorld(), runner, installation, cancel.signal);
} catch (error) {
  runner.fail(messageOf(error));
}
