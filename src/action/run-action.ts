// main: the way of the data as code. Gate, agent and publish in one process; what it cannot finish, post does.
import { chooseModel } from '../compose/model.ts';
import { announce } from '../github/publish/announce.ts';
import { createProgress } from '../github/publish/progress.ts';
import { Harness9Error } from '../schema/error.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { World } from '../schema/world.ts';
import { type ActionContext, createContext, type Installation } from './context.ts';
import { parseInputs, unknownInputs } from './inputs.ts';
import { loadInvocation } from './invocation.ts';
import { reportRun, reportSkip } from './report.ts';
import { runAgent } from './run-agent.ts';
import { runGate } from './run-gate.ts';
import { type Published, runPublish, sayFault } from './run-publish.ts';
import { type AcceptedRun, saveAccepted, saveBundle, saveFinished } from './run-state.ts';
import type { Runner } from './runner.ts';

/** Publishing has its own time: a cancelled run's deadline must not cut it (R1). */
const publishTimeoutMs = 10 * 60_000;

/** Runs the Action and returns the exit code. A broken precondition becomes one clear message and exit code 1. */
export async function runAction(world: World, runner: Runner, installation: Installation, cancel: AbortSignal): Promise<number> {
  try {
    return await runPhases(await loadContext(world, runner, installation), cancel);
  } catch (error) {
    if (cancel.aborted) return 1;
    runner.fail(describe(error));
    runner.output('conclusion', 'error');
    return 1;
  }
}

/** Settings and invocation of this process, wired. Throws INPUT_INVALID, RUNNER_INCOMPLETE or EVENT_MALFORMED. */
export async function loadContext(world: World, runner: Runner, installation: Installation): Promise<ActionContext> {
  const settings = parseInputs(world.env);
  for (const warning of unknownInputs(world.env)) runner.warning(warning);
  const invocation = await loadInvocation(world.env, settings.agent.workingDirectory);
  return createContext({ settings, invocation, installation, world, runner });
}

async function runPhases(context: ActionContext, cancel: AbortSignal): Promise<number> {
  const decision = await runGate(context, cancel);
  if (decision.kind === 'skip') return reportSkip(decision.skip, context);
  const { plan } = decision;
  // Before anything is posted: a run that cannot start must not look like one that did.
  const choice = chooseModel(context.settings.agent);
  const run = await acceptRun(plan, context, cancel);
  const published = await workAndPublish(run, choice, context, cancel);
  // Cancelled: the runner kills us soon, post says the last word.
  if (published === null) return 0;
  saveFinished(context.runner);
  return reportRun(plan, published, context);
}

async function acceptRun(plan: RunPlan, context: ActionContext, cancel: AbortSignal): Promise<AcceptedRun> {
  const run = { plan, announcement: await announce(plan, context.publishPorts, cancel) };
  await saveAccepted(run, context.invocation.stateDir, context.runner);
  return run;
}

/** null when the run was cancelled: what there is of it lies in the state for post. */
async function workAndPublish(
  run: AcceptedRun,
  choice: ReturnType<typeof chooseModel>,
  context: ActionContext,
  cancel: AbortSignal,
): Promise<Published | null> {
  const progress = createProgress(run.announcement, run.plan, context.publishPorts);
  try {
    const bundle = await runAgent({ plan: run.plan, choice, onEvent: progress.onEvent }, context, cancel);
    await saveBundle(bundle, context.invocation.stateDir, context.runner);
    await progress.stop();
    return cancel.aborted ? null : await runPublish(run, bundle, context, AbortSignal.timeout(publishTimeoutMs));
  } catch (error) {
    await progress.stop();
    if (cancel.aborted) return null;
    return await sayFault(run, error, context, AbortSignal.timeout(publishTimeoutMs));
  }
}

/** One clear message: what happened, and what to do. */
export function describe(error: unknown): string {
  if (!(error instanceof Harness9Error)) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  return error.hint === undefined ? error.message : `${error.message}\n${error.hint}`;
}
