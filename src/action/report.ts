// The last arrow: outcome → outputs, job summary, patch file, exit code.
import { access, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sessionFileOf } from '../compose/session.ts';
import { outputsOf } from '../github/publish/outputs.ts';
import { renderSummary } from '../github/publish/render-summary.ts';
import { renderStructuredOutput } from '../github/publish/structured-output.ts';
import type { Skip } from '../schema/gate.ts';
import type { Outcome } from '../schema/outcome.ts';
import type { ActionContext } from './context.ts';
import type { Published } from './run-publish.ts';
import type { AnnouncedRun } from './run-state.ts';
import type { Runner } from './runner.ts';

/** Reports a run; the exit code is 1 when its conclusion is one of `fail_on`. `executionFile`: its transcript, when it is whole. */
export async function reportRun(
  run: AnnouncedRun,
  published: Published,
  executionFile: string | null,
  context: ActionContext,
): Promise<number> {
  const { runner, settings, redactor, world } = context;
  const { outcome, bundle } = published;
  const elapsedMs = world.clock.now().getTime() - Date.parse(run.announcement.startedAt);
  const { json, warning } = renderStructuredOutput(bundle?.result, redactor.outward);
  const outputs = {
    ...outputsOf(run.plan, bundle, outcome),
    structured_output: json,
    ...(await writeFiles(published, context)),
    ...executionOutput(executionFile),
    duration_ms: String(elapsedMs),
  };
  for (const [name, value] of Object.entries(outputs)) runner.output(name, value);
  await runner.summary(renderSummary(run.plan, bundle, outcome));
  for (const each of [...outcome.warnings, ...(warning === null ? [] : [warning])]) runner.warning(each);
  if (settings.failOn.includes(outcome.conclusion)) {
    runner.fail(causeOf(outcome));
    return 1;
  }
  // A job that does not fail for it still says so.
  if (outcome.error !== undefined) runner.warning(causeOf(outcome));
  return 0;
}

/** Files that outputs name: the changes as one patch, the session as it was uploaded. */
async function writeFiles({ outcome }: Published, { invocation }: ActionContext): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  if (outcome.patch !== '') {
    files.patch_file = path.join(invocation.stateDir, 'changes.patch');
    await writeFile(files.patch_file, outcome.patch, { mode: 0o600 });
  }
  const sessionFile = sessionFileOf(invocation.stateDir);
  if (await isThere(sessionFile)) files.session_file = sessionFile;
  return files;
}

function executionOutput(file: string | null): Readonly<Record<string, string>> {
  return file === null ? {} : { execution_file: file };
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** What went wrong, for whoever looks at nothing but the run's page. */
function causeOf({ error, conclusion }: Outcome): string {
  if (error === undefined) return `harness9 ended with the conclusion ${conclusion}; fail_on lists it.`;
  return [error.message, error.hint].filter((line) => line !== undefined).join('\n');
}

/** A cancelled main: post publishes what there is, but its outputs are seen by no step. */
export function reportCancelled(runner: Runner, executionFile: string | null): number {
  const error = 'the run was cancelled; post publishes what there is of it';
  const outputs = { triggered: 'true', conclusion: 'cancelled', error, ...executionOutput(executionFile) };
  for (const [name, value] of Object.entries(outputs)) runner.output(name, value);
  return 0;
}

/** Reports that nothing was started and why; looks like nothing but a skip. */
export async function reportSkip(skip: Skip, context: ActionContext): Promise<number> {
  const { runner, settings, log } = context;
  const outputs = { triggered: 'false', conclusion: skip.conclusion, skip_reason: `${skip.reason}: ${skip.detail}`, error: '' };
  for (const [name, value] of Object.entries(outputs)) runner.output(name, value);
  log(`[gate] skipped: ${skip.reason}: ${skip.detail}`);
  await runner.summary(`harness9 did not start (${skip.reason}): ${skip.detail}\n`);
  return settings.failOn.includes(skip.conclusion) ? 1 : 0;
}
