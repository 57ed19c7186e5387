// post: runs after main whatever became of it, and leaves no "working…" comment behind (R1, R2).
import { chooseModel, type ModelChoice } from '../compose/choose-model.ts';
import { endLeftovers } from '../compose/leftovers.ts';
import { saveThreadSession } from '../compose/session.ts';
import { announce } from '../github/publish/announce.ts';
import { finishWithFault } from '../github/publish/finish-fault.ts';
import { bundleSchema } from '../schema/bundle.ts';
import { adviceOf } from '../schema/error.ts';
import type { World } from '../schema/world.ts';
import { bareWorkOf } from './bare-bundle.ts';
import { type ActionContext, type Installation, loadContext, openOutgoing, runStateSecret } from './context.ts';
import { keepSession } from './keep-session.ts';
import { reportRun } from './report.ts';
import { type Published, runPublish, sayFault } from './run-publish.ts';
import { type AcceptedRun, type AnnouncedRun, loadUnfinished, saveFinished, type Unfinished } from './run-state.ts';
import { type Runner, redactRunner } from './runner.ts';
import { sandboxAlive } from './sandbox-faults.ts';
import { sessionParts } from './session-parts.ts';

/** A cancelled job gives its `always()` work five minutes (threats.md §4, Time). */
const postTimeoutMs = 4 * 60_000;

/** Finishes what main could not, and returns the exit code. Nothing to do is the rule. */
export async function runPost(world: World, bare: Runner, installation: Installation): Promise<number> {
  const outgoing = openOutgoing(world, bare);
  const runner = redactRunner(bare, outgoing.redactor.outward);
  try {
    const unfinished = await loadUnfinished({ runner, secret: runStateSecret(world.env) });
    if (unfinished.kind === 'nothing') return 0;
    if (unfinished.kind === 'tampered') {
      runner.fail(
        'The state of this run was changed after it was written; nothing is done with it. Look at what the commands of the run did.',
      );
      return 1;
    }
    const context = await loadContext({ world, runner, installation }, outgoing);
    try {
      return await finishRun(unfinished, context);
    } finally {
      await context.access.end();
    }
  } catch (error) {
    runner.fail(adviceOf(error));
    return 1;
  }
}

async function finishRun(unfinished: Unfinished & { readonly kind: 'unfinished' }, context: ActionContext): Promise<number> {
  const signal = AbortSignal.timeout(postTimeoutMs);
  const run = await announced(unfinished.run, context, signal);
  const published = await finish(run, unfinished.bundle, context, signal);
  saveFinished(run, context.runState);
  return await reportRun(run, published, null, context);
}

/** Finds the comment of a main that was killed while it announced, or posts one: an accepted trigger gets its reply. */
async function announced(run: AcceptedRun, context: ActionContext, signal: AbortSignal): Promise<AnnouncedRun> {
  return { ...run, announcement: run.announcement ?? (await announce(run.plan, context.publishPorts, signal)) };
}

/** The bundle that main left is published as usual; without one the thread is told that the run was cut. The session is kept in both. */
async function finish(run: AnnouncedRun, bundle: unknown, context: ActionContext, signal: AbortSignal): Promise<Published> {
  // A killed main could not end its sandbox; nothing is published beside living commands (C10).
  const survivors = await endLeftovers(run.sandbox, { log: context.log, outward: context.redactor.outward });
  if (survivors.length > 0) return sayFault(run, sandboxAlive(survivors), context, signal);
  if (bareWorkOf(run.plan) !== null)
    return bundle === null ? sayCut(run, undefined, context, signal) : runPublish(run, bundle, context, signal);
  let choice: ModelChoice;
  try {
    choice = chooseModel(context.settings.agent);
  } catch (error) {
    return sayFault(run, error, context, signal);
  }
  const readable = bundleSchema.safeParse(bundle).data;
  if (readable !== undefined) return runPublish(run, await keepSession(readable, run.plan, choice, context), context, signal);
  const saved = await saveThreadSession(sessionParts(run.plan, choice, context));
  if (saved.warning !== null) context.runner.warning(saved.warning);
  if (bundle !== null) return runPublish(run, bundle, context, signal);
  return sayCut(run, saved.artifactId === null ? undefined : 'The conversation so far is kept.', context, signal);
}

async function sayCut(
  run: AnnouncedRun,
  hint: string | undefined,
  context: ActionContext,
  signal: AbortSignal,
): Promise<Published> {
  const fault = { conclusion: 'cancelled', message: 'the run was cancelled before it came to an end.', hint } as const;
  const outcome = await finishWithFault(run.plan, run.announcement, fault, { ports: context.publishPorts, signal });
  return { outcome, bundle: null };
}
