// The reactions on what triggered the run, and the trigger's label; each failure is a warning and never the run's (G1-29).
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { isGone, repositoryOf } from '../api.ts';
import type { PublishPorts } from './ports.ts';

const contents = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;
export type Reaction = (typeof contents)[number];

/** The plan's reaction, or null for `none` and the like. */
export function reactionOf(plan: Pick<RunPlan, 'reaction'>): Reaction | null {
  return contents.find((content) => content === plan.reaction) ?? null;
}

/** Adds a reaction to the trigger; the warning, or null. GitHub answers a second one of ours with the first. */
export async function react(plan: RunPlan, content: Reaction, ports: PublishPorts, signal: AbortSignal): Promise<string | null> {
  const { target } = plan.trigger;
  if (target === null) return null;
  const repository = repositoryOf(plan);
  try {
    if (target.kind === 'issue_comment') {
      const parameters = { ...repository, comment_id: target.id, content };
      await ports.api.rest('POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', parameters, signal);
    } else if (target.kind === 'review_comment') {
      const parameters = { ...repository, comment_id: target.id, content };
      await ports.api.rest('POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions', parameters, signal);
    } else {
      const parameters = { ...repository, issue_number: target.number, content };
      await ports.api.rest('POST /repos/{owner}/{repo}/issues/{issue_number}/reactions', parameters, signal);
    }
    return null;
  } catch (error) {
    return warn(`the reaction ${content} was refused`, error, signal);
  }
}

/** Takes the trigger's label off, so that putting it on again starts a new run; the warning, or null. */
export async function removeTriggerLabel(plan: RunPlan, ports: PublishPorts, signal: AbortSignal): Promise<string | null> {
  if (plan.trigger.label === undefined || plan.thread === null) return null;
  try {
    const parameters = { ...repositoryOf(plan), issue_number: plan.thread.number, name: plan.trigger.label };
    await ports.api.rest('DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}', parameters, signal);
    return null;
  } catch (error) {
    return isGone(error) ? null : warn(`the label "${plan.trigger.label}" was not taken off`, error, signal);
  }
}

function warn(what: string, error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  return `${what}: ${messageOf(error)}`;
}
