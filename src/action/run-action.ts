// main: the way of the data as code. Gate, agent and publish in one process; what it cannot finish, post does.
import { traceSandbox } from '../compose/leftovers.ts';
import { type Watch, watchThread } from '../github/control/watch-thread.ts';
import { announce } from '../github/publish/announce.ts';
import { renderError } from '../github/publish/outputs.ts';
import { createProgress, type Progress } from '../github/publish/progress.ts';
import { tellSkip } from '../github/publish/tell-skip.ts';
import type { Bundle } from '../schema/bundle.ts';
import { adviceOf, messageOf } from '../schema/error.ts';
import type { RunPlan, Skip } from '../schema/gate.ts';
import type { World } from '../schema/world.ts';
import { type BareWork, bareWorkOf } from './bare-bundle.ts';
import { chooseModels, type PricedModels } from './choose-models.ts';
import { type ActionContext, type Installation, loadContext, openOutgoing } from './context.ts';
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
    const context = await loadContext({ world, runner, installation }, outgoing);
    try {
      return await runPhases(context, cancel);
    } finally {
      await context.access.end();
    }
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
  if (decision.kind === 'skip') return skipRun(decision.skip, context, cancel);
  const { plan } = decision;
  // Before anything is posted: a run that cannot start must not look like one that did.
  let means: Means | Skip;
  try {
    means = bareWorkOf(plan) ?? (await chooseModels(plan, context));
  } catch (error) {
    return sayUnstarted(plan, error, context);
  }
  if ('reason' in means) return skipRun(means, context, cancel);
  const run = await acceptRun(plan, context, cancel);
  const { published, executionFile } = await workAndPublish(run, means, context, cancel);
  // The runner kills us soon; post says the last word.
  if (published === 'cancelled') return reportCancelled(context.runner, executionFile);
  // A reply that GitHub did not take is left to post, too.
  if (published.outcome.unposted === undefined) saveFinished(run, context.runState);
  return reportRun(run, published, executionFile, context);
}

/** What a run works with: models, or nothing but GitHub. */
type Means = PricedModels | BareWork;

async function skipRun(skip: Skip, context: ActionContext, signal: AbortSignal): Promise<number> {
  // A dry run writes nothing, and says why nothing started in the job alone.
  if (!context.settings.gate.dryRun) await tellSkip(skip, context.invocation.repository, { ports: context.publishPorts, signal });
  return reportSkip(skip, context);
}

/** What stands in the way was known before the thread heard of a run: its one reply says what to mend (R1, R5). */
async function sayUnstarted(plan: RunPlan, error: unknown, context: ActionContext): Promise<number> {
  const startedAt = context.world.clock.now().toISOString();
  const announcement = { version: 1, commentId: null, startedAt, warnings: [] } as const;
  const run = { plan, announcement, sandbox: await traceSandbox(context.world) };
  await saveAccepted(run, context.runState);
  const published = await sayFault(run, error, context, AbortSignal.timeout(publishTimeoutMs));
  if (published.outcome.unposted === undefined) saveFinished(run, context.runState);
  return reportRun(run, published, null, context);
}

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

async function workAndPublish(run: AnnouncedRun, means: Means, context: ActionContext, cancel: AbortSignal): Promise<Work> {
  const { plan } = run;
  const ports = context.publishPorts;
  const progress = createProgress(run.announcement, plan, ports);
  const watch = watchThread({ plan, settings: context.settings.gate, status: progress.status, ports });
  let executionFile: string | null = null;
  const onTranscript = (file: string): void => {
    executionFile = file;
  };
  const ended = (published: Work['published']): Work => ({ published, executionFile });
  try {
    const bundle = await work(run, means, { context, cancel, progress, watch, onTranscript });
    await Promise.all([progress.stop(), watch.end()]);
    if (cancel.aborted) return ended('cancelled');
    return ended(await runPublish(run, bundle, context, AbortSignal.timeout(publishTimeoutMs)));
  } catch (error) {
    await Promise.all([progress.stop(), watch.end()]);
    if (cancel.aborted) return ended('cancelled');
    return ended(await sayFault(run, error, context, AbortSignal.timeout(publishTimeoutMs)));
  }
}

interface WorkParts {
  readonly context: ActionContext;
  readonly cancel: AbortSignal;
  readonly progress: Progress;
  readonly watch: Watch;
  readonly onTranscript: (file: string) => void;
}

/** The bundle, saved for post, and its session with it. */
async function work(
  run: AnnouncedRun,
  means: Means,
  { context, cancel, progress, watch, onTranscript }: WorkParts,
): Promise<Bundle> {
  const bundle =
    typeof means === 'function'
      ? await means(run.plan, context, cancel)
      : await runAgent({ ...run, ...means, stop: watch, onEvent: progress.onEvent, onTranscript }, context, cancel);
  await saveBundle(run, bundle, context.runState);
  if (typeof means === 'function' || cancel.aborted) return bundle;
  const kept = await keepSession(bundle, run.plan, means.choice, context);
  if (kept !== bundle) await saveBundle(run, kept, context.runState);
  return kept;
}
