/** `npm run demo`: builds the demo's world from the process, runs it, and turns its outcome into the exit code. */
import path from 'node:path';
import { createPage } from './demo/page.ts';
import type { DemoModel } from './demo/run-demo.ts';
import { runDemo } from './demo/run-demo.ts';

/** The model that the arguments ask for; a text when they ask for one that has no key. */
function chooseModel(args: readonly string[], env: Readonly<Record<string, string | undefined>>): DemoModel | string {
  if (!args.includes('--real')) return { kind: 'scripted' };
  if (env.OPENAI_API_KEY) return { kind: 'real', provider: 'openai', apiKey: env.OPENAI_API_KEY };
  if (env.ANTHROPIC_API_KEY) return { kind: 'real', provider: 'anthropic', apiKey: env.ANTHROPIC_API_KEY };
  return 'The demo with a real model needs OPENAI_API_KEY or ANTHROPIC_API_KEY in the environment.';
}

const model = chooseModel(process.argv.slice(2), process.env);
if (typeof model === 'string') {
  console.error(model);
  process.exitCode = 2;
} else {
  const page = createPage((text) => process.stdout.write(text), process.stdout.isTTY === true);
  const isGood = await runDemo({ actionDir: path.join(import.meta.dirname, '..', '..'), model, page });
  process.exitCode = isGood ? 0 : 1;
}
