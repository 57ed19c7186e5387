// The Action's post entry: builds the World, calls runPost, holds the last-resort catch.
import path from 'node:path';
import { runPost } from './action/run-post.ts';
import { gitHubRunner } from './action/runner.ts';
import { processWorld } from './compose/world.ts';
import { messageOf } from './schema/error.ts';

const runner = gitHubRunner();
try {
  const distDir = path.join(import.meta.dirname, '..');
  const installation = { distDir, toolHostEntry: path.join(distDir, 'tool-host', 'index.js') };
  process.exitCode = await runPost(processWorld(), runner, installation);
} catch (error) {
  runner.fail(messageOf(error));
}
