// A schedule that finds nothing to change any more: its open pull request would propose what is done already, so it is closed. Only ours alone (G1-42).
import { messageOf } from '../../schema/error.ts';
import type { OwnPull, RunPlan } from '../../schema/gate.ts';
import { isFinished } from '../../schema/run.ts';
import { repositoryOf } from '../api.ts';
import { mayWriteOn } from '../own-pull.ts';
import { readBranch } from './commit.ts';
import { type Delivery, nothingDelivered } from './delivery.ts';
import { findOwnOpen, type OwnOnBranch } from './place-branch.ts';
import type { PublishIo } from './ports.ts';
import type { Work } from './without-refused.ts';

/**
 * A run without a thread that came to its end and changed nothing against the base closes the pull request on its branch, if nobody but us
 * pushed to it. What was changed and left out is still to be done by somebody, and closes nothing.
 */
export async function closeFinishedPull({ plan, bundle, io }: Work): Promise<Delivery> {
  const nothing = nothingDelivered(bundle);
  const isDone = isFinished(bundle.result) && bundle.leftOut.length === 0;
  if (!isDone || plan.mode !== 'act' || plan.delivery !== 'pull_request') return nothing;
  try {
    const own = await findOwnOpen(plan, io);
    if (own === null || !own.pull.isOursAlone || !mayWriteOn(own.pull, plan.trust)) return nothing;
    return { ...nothing, ...(await close(plan, own, io)) };
  } catch (failure) {
    io.signal.throwIfAborted();
    return {
      ...nothing,
      notes: [`There was nothing left to do, but its pull request could not be closed: ${messageOf(failure)}.`],
    };
  }
}

/** Closed first: who comes back after a crash finds no open one, and says nothing twice. */
async function close(
  plan: RunPlan,
  { pull, link }: OwnOnBranch,
  io: PublishIo,
): Promise<Pick<Delivery, 'pullRequest' | 'notes'>> {
  const { ports, signal } = io;
  const repository = repositoryOf(plan);
  const number = { ...repository, pull_number: link.number };
  await ports.api.rest('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', { ...number, state: 'closed' }, signal);
  const body = `There is nothing left to change against \`${plan.base.branch.replaceAll('`', '')}\`, so I closed this pull request and take its branch away. The next run that finds something opens a new one. · [run](${plan.run.url})`;
  const after: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'comment on it',
      () =>
        ports.api.rest(
          'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
          { ...repository, issue_number: link.number, body: ports.egress(body) },
          signal,
        ),
    ],
    ['delete its branch', () => deleteBranch(plan, pull, io)],
  ];
  const notes: string[] = [];
  for (const [what, step] of after) {
    await step().catch((error: unknown) => {
      signal.throwIfAborted();
      notes.push(`#${link.number} was closed, but I could not ${what}: ${messageOf(error)}.`);
    });
  }
  return { pullRequest: { ...link, operation: 'closed' }, notes };
}

/** What somebody pushed meanwhile is theirs. */
async function deleteBranch(plan: RunPlan, { branch, sha }: OwnPull, { ports, signal }: PublishIo): Promise<void> {
  if ((await readBranch(plan, branch, ports, signal)) !== sha) return;
  const parameters = { ...repositoryOf(plan), ref: `heads/${branch}` };
  await ports.api.rest('DELETE /repos/{owner}/{repo}/git/refs/{ref}', parameters, signal);
}
