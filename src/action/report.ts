// The last arrow: outcome → outputs, job summary, patch file, exit code.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { outputsOf } from '../github/publish/outputs.ts';
import { renderSummary } from '../github/publish/render-summary.ts';
import type { RunPlan, Skip } from '../schema/gate.ts';
import type { ActionContext } from './context.ts';
import type { Published } from './run-publish.ts';

/** Reports a run; the exit code is 1 when its conclusion is one of `fail_on`. */
export async function reportRun(plan: RunPlan, published: Published, context: ActionContext): Promise<number> {
  const { runner, settings, invocation, redactor } = context;
  const { outcome, bundle } = published;
  for (const [name, value] of Object.entries(outputsOf(plan, bundle, outcome))) runner.output(name, redactor.outward(value));
  if (outcome.patch !== '') {
    const file = path.join(invocation.stateDir, 'changes.patch');
    await writeFile(file, outcome.patch, { mode: 0o600 });
    runner.output('patch_file', file);
  }
  await runner.summary(redactor.outward(renderSummary(plan, bundle, outcome)));
  for (const warning of outcome.warnings) runner.warning(redactor.outward(warning));
  if (!settings.failOn.includes(outcome.conclusion)) return 0;
  runner.fail(`harness9 ended with the conclusion ${outcome.conclusion}; fail_on lists it.`);
  return 1;
}

/** Reports that nothing was started and why; looks like nothing but a skip. */
export async function reportSkip(skip: Skip, context: ActionContext): Promise<number> {
  const { runner, settings, redactor, log } = context;
  const detail = redactor.outward(skip.detail);
  const outputs = { triggered: 'false', conclusion: skip.conclusion, skip_reason: `${skip.reason}: ${detail}`, error: '' };
  for (const [name, value] of Object.entries(outputs)) runner.output(name, value);
  log(`skipped: ${skip.reason}: ${skip.detail}`);
  await runner.summary(`harness9 did not start (${skip.reason}): ${detail}\n`);
  return settings.failOn.includes(skip.conclusion) ? 1 : 0;
}
