// Our comments on the plan's thread: found by author and marker, written, changed, deleted. The target is the plan's thread and nothing else (H8).
import type { RunPlan } from '../../schema/gate.ts';
import { isGone, repositoryOf } from '../api.ts';
import { hasMarker, type MarkerKind } from '../marker.ts';
import type { PublishPorts } from './ports.ts';

export interface OwnComment {
  readonly id: number;
  readonly url: string;
  readonly body: string;
}

/** Ours for this trigger, the oldest first. A foreign comment with our marker is not ours (G8). */
export async function findOwnComments(
  plan: RunPlan,
  kind: MarkerKind,
  ports: PublishPorts,
  signal: AbortSignal,
): Promise<readonly OwnComment[]> {
  if (plan.thread === null) return [];
  const found: OwnComment[] = [];
  const parameters = { ...repositoryOf(plan), issue_number: plan.thread.number, ...sinceTrigger(plan) };
  for await (const page of ports.api.pages('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', parameters, signal)) {
    for (const comment of page) {
      const body = comment.body ?? '';
      const isOurs = comment.user?.id === plan.self.id && hasMarker(body, { trigger: plan.trigger.id, kind });
      if (isOurs) found.push({ id: Number(comment.id), url: comment.html_url, body });
    }
  }
  return found.sort((a, b) => a.id - b.id);
}

/** Nothing of ours for this trigger is older than the trigger. */
function sinceTrigger(plan: RunPlan): { since?: string } {
  return Number.isNaN(Date.parse(plan.trigger.at)) ? {} : { since: plan.trigger.at };
}

/** Writes a comment; not safe to repeat. The egress is applied here. */
export async function createComment(plan: RunPlan, body: string, ports: PublishPorts, signal: AbortSignal): Promise<OwnComment> {
  const parameters = { ...repositoryOf(plan), issue_number: plan.thread?.number ?? 0, body: ports.egress(body) };
  const { data } = await ports.api.rest('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', parameters, signal);
  return { id: Number(data.id), url: data.html_url, body: data.body ?? '' };
}

/** Replaces a comment's body; null: the comment is gone. */
export async function updateComment(
  plan: RunPlan,
  { id, body }: { readonly id: number; readonly body: string },
  ports: PublishPorts,
  signal: AbortSignal,
): Promise<OwnComment | null> {
  try {
    const parameters = { ...repositoryOf(plan), comment_id: id, body: ports.egress(body) };
    const { data } = await ports.api.rest('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', parameters, signal);
    return { id: Number(data.id), url: data.html_url, body: data.body ?? '' };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** Deletes a comment; one that is gone already is fine. */
export async function deleteComment(plan: RunPlan, id: number, ports: PublishPorts, signal: AbortSignal): Promise<void> {
  try {
    const parameters = { ...repositoryOf(plan), comment_id: id };
    await ports.api.rest('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', parameters, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
