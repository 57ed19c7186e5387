// post: runs after main whatever became of it, and leaves no "working…" comment behind (R1, R2).
import { chooseModel } from '../compose/choose-model.ts';
import { saveThreadSession } from '../compose/session.ts';
import { announce } from '../github/publish/announce.ts';
import { finishWithFault } from '../github/publish/finish-fault.ts';
import { adviceOf } from '../schema/error.ts';
import type { World } from '../schema/world.ts';
import { type ActionContext, type Installation, loadContext } from './context.ts';
import { reportRun } from './report.ts';
import { type Published, runPublish } from './run-publish.ts';
import { type AcceptedRun, loadUnfinished, saveFinished } from './run-state.ts';
import type { Runner } from './runner.ts';
import { sessionParts } from './session-parts.ts';

/** A cancelled job gives its `always()` work five minutes (threats.md §4, Time). */
const postTimeoutMs = 4 * 60_000;

/** Finishes what main could not, and returns the exit code. Nothing to do is the rule. */
export async function runPost(world: World, runner: Runner, installation: Installation): Promise<number> {
  try {
    const unfinished = await loadUnfinished(runner);
    if (unfinished.kind === 'nothing') return 0;
    if (unfinished.kind === 'tampered') {
      runner.warning('harness9: the files of this run were changed after they were written; post does nothing with them.');
      return 0;
    }
    const context = await loadContext(world, runner, installation);
    const signal = AbortSignal.timeout(postTimeoutMs);
    const published = await finish(unfinished.run, unfinished.bundle, context, signal);
    saveFinished(runner);
    return await reportRun(unfinished.run.plan, published, context);
  } catch (error) {
    runner.fail(adviceOf(error));
    return 1;
  }
}

/** The bundle that main left is published as usual; without one the thread is told that the run was cut. The session is kept in both. */
async function finish(accepted: AcceptedRun, bundle: unknown, context: ActionContext, signal: AbortSignal): Promise<Published> {
  // Finds the comment that main posted, or posts one: an accepted trigger gets its reply.
  const announcement = accepted.announcement ?? (await announce(accepted.plan, context.publishPorts, signal));
  const run = { ...accepted, announcement };
  const choice = chooseModel(context.settings.agent);
  const saved = await saveThreadSession(sessionParts(run.plan, choice, context));
  if (saved.warning !== null) context.runner.warning(saved.warning);
  if (bundle !== null) return runPublish(run, bundle, context, signal);
  const fault = {
    conclusion: 'cancelled',
    message: 'the run was cancelled before it came to an end.',
    hint: saved.artifactId === null ? undefined : 'The conversation so far is kept.',
  } as const;
  return {
    outcome: await finishWithFault(run.plan, run.announcement, fault, { ports: context.publishPorts, signal }),
    bundle: null,
  };
}
