// main: the way of the data as code. Gate, agent and publish in one process; what it cannot finish, post does.
import { chooseFallbacks, chooseModel, originOf } from '../compose/choose-model.ts';
import { traceSandbox } from '../compose/leftovers.ts';
import { composePrices, requirePrices } from '../compose/prices.ts';
import { announce } from '../github/publish/announce.ts';
import { renderError } from '../github/publish/outputs.ts';
import { createProgress } from '../github/publish/progress.ts';
import { tellSkip } from '../github/publish/tell-skip.ts';
import { adviceOf, messageOf } from '../schema/error.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { World } from '../schema/world.ts';
import { type ActionContext, type Installation, loadContext, openOutgoing } from './context.ts';
import type { AgentRun } from './converse.ts';
import { keepSession } from './keep-session.ts';
import { reportCancelled, reportRun, reportSkip } from './report.ts';
import { runAgent } from './run-agent.ts';
import { runGate } from './run-gate.ts';
import { type Published, runPublish, sayFault } from './run-publish.ts';
import { type AnnouncedRun, saveAccepted, saveBundle, saveFinished } from './run-state.ts';
import { type Runner, redactRunner } from './runner.ts';

/** Publishing has its own time: a cancelled run's deadline must not cut it (R1). */
const publishTimeoutMs = 10 * 60_000;

/** Runs the Action and returns the exit code. A broken precondition becomes one clear message and exit code 1. */
export async function runAction(world: World, bare: Runner, installation: Installation, cancel: AbortSignal): Promise<number> {
  const outgoing = openOutgoing(world, bare);
  const runner = redactRunner(bare, outgoing.redactor.outward);
  try {
    return await runPhases(await loadContext({ world, runner, installation }, outgoing), cancel);
  } catch (error) {
    if (cancel.aborted) return reportCancelled(runner, null);
    runner.fail(adviceOf(error));
    runner.output('triggered', 'false');
    runner.output('conclusion', 'error');
    runner.output('error', renderError(messageOf(error)));
    return 1;
  }
}

async function runPhases(context: ActionContext, cancel: AbortSignal): Promise<number> {
  const decision = await runGate(context, cancel);
  if (decision.kind === 'skip') {
    await tellSkip(decision.skip, context.invocation.repository, { ports: context.publishPorts, signal: cancel });
    return reportSkip(decision.skip, context);
  }
  const { plan } = decision;
  // Before anything is posted: a run that cannot start must not look like one that did.
  const models = await chooseModels(plan, context);
  const run = await acceptRun(plan, context, cancel);
  const { published, executionFile } = await workAndPublish(run, models, context, cancel);
  // The runner kills us soon; post says the last word.
  if (published === 'cancelled') return reportCancelled(context.runner, executionFile);
  // A reply that GitHub did not take is left to post, too.
  if (published.outcome.unposted === undefined) saveFinished(run, context.runState);
  return reportRun(run, published, executionFile, context);
}

/** The models that a run will use, and what they cost. Throws what `chooseModel`, `chooseFallbacks` and `requirePrices` throw. */
async function chooseModels({ limits }: RunPlan, { settings, world }: ActionContext): Promise<PricedModels> {
  const choice = chooseModel(settings.agent);
  const fallbacks = chooseFallbacks(choice, settings.agent);
  const prices = await composePrices(limits.maxCostUsd, world.clock);
  const names = { cost: 'input `max_cost_usd`', tokens: '`max_tokens_total`' };
  if (limits.maxCostUsd !== null) {
    const origins = [choice, ...fallbacks].map((model) => originOf(model, settings.agent));
    requirePrices(origins, prices, names);
  }
  return { choice, fallbacks, prices };
}

type PricedModels = Pick<AgentRun, 'choice' | 'fallbacks' | 'prices'>;

/** Saved before the thread hears of it, so that post finds the comment of a main that was killed while it posted. */
async function acceptRun(plan: RunPlan, context: ActionContext, cancel: AbortSignal): Promise<AnnouncedRun> {
  const accepted = { plan, announcement: null, sandbox: await traceSandbox(context.world) };
  await saveAccepted(accepted, context.runState);
  try {
    const run = { ...accepted, announcement: await announce(plan, context.publishPorts, cancel) };
    await saveAccepted(run, context.runState);
    return run;
  } catch (error) {
    // Nothing is on the thread, and nothing could be put there: the caller says why in the job.
    if (!cancel.aborted) saveFinished(accepted, context.runState);
    throw error;
  }
}

/** `published`: what there is of a cancelled run lies in the state for post. */
interface Work {
  readonly published: Published | 'cancelled';
  readonly executionFile: string | null;
}

async function workAndPublish(
  run: AnnouncedRun,
  models: PricedModels,
  context: ActionContext,
  cancel: AbortSignal,
): Promise<Work> {
  const progress = createProgress(run.announcement, run.plan, context.publishPorts);
  let executionFile: string | null = null;
  const onTranscript = (file: string): void => {
    executionFile = file;
  };
  const ended = (published: Work['published']): Work => ({ published, executionFile });
  try {
    const bundle = await runAgent({ ...run, ...models, onEvent: progress.onEvent, onTranscript }, context, cancel);
    await saveBundle(run, bundle, context.runState);
    const kept = cancel.aborted ? bundle : await keepSession(bundle, run.plan, models.choice, context);
    if (kept !== bundle) await saveBundle(run, kept, context.runState);
    await progress.stop();
    if (cancel.aborted) return ended('cancelled');
    return ended(await runPublish(run, kept, context, AbortSignal.timeout(publishTimeoutMs)));
  } catch (error) {
    await progress.stop();
    if (cancel.aborted) return ended('cancelled');
    return ended(await sayFault(run, error, context, AbortSignal.timeout(publishTimeoutMs)));
  }
}
