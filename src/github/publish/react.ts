// The reactions on what triggered the run, and the trigger's label; each failure is a warning and never the run's (G1-29).
import { messageOf } from '../../schema/error.ts';
import type { RunPlan, Trigger } from '../../schema/gate.ts';
import { isGone, type RepositoryApi, repositoryOf } from '../api.ts';
import type { PublishPorts } from './ports.ts';

/** REST's names, with GraphQL's. */
const contents = {
  '+1': 'THUMBS_UP',
  '-1': 'THUMBS_DOWN',
  laugh: 'LAUGH',
  confused: 'CONFUSED',
  heart: 'HEART',
  hooray: 'HOORAY',
  rocket: 'ROCKET',
  eyes: 'EYES',
} as const;
export type Reaction = keyof typeof contents;

const addReactionMutation = `mutation AddReaction($id: ID!, $content: ReactionContent!) {
  addReaction(input: { subjectId: $id, content: $content }) { reaction { content } }
}`;

/** The plan's reaction, or null for `none` and the like. */
export function reactionOf({ reaction }: Pick<RunPlan, 'reaction'>): Reaction | null {
  return isReaction(reaction) ? reaction : null;
}

function isReaction(name: string): name is Reaction {
  return Object.hasOwn(contents, name);
}

/** Adds a reaction to the trigger; the warning, or null. GitHub answers a second one of ours with the first. */
export async function react(plan: RunPlan, content: Reaction, ports: PublishPorts, signal: AbortSignal): Promise<string | null> {
  const { target } = plan.trigger;
  if (target === null) return null;
  try {
    await addReaction(target, content, { api: ports.api, repository: repositoryOf(plan) }, signal);
    return null;
  } catch (error) {
    return warn(`the reaction ${content} was refused`, error, signal);
  }
}

async function addReaction(
  target: NonNullable<Trigger['target']>,
  content: Reaction,
  { api, repository }: RepositoryApi,
  signal: AbortSignal,
): Promise<void> {
  switch (target.kind) {
    case 'issue_comment': {
      const parameters = { ...repository, comment_id: target.id, content };
      await api.rest('POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', parameters, signal);
      return;
    }
    case 'review_comment': {
      const parameters = { ...repository, comment_id: target.id, content };
      await api.rest('POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions', parameters, signal);
      return;
    }
    case 'issue': {
      const parameters = { ...repository, issue_number: target.number, content };
      await api.rest('POST /repos/{owner}/{repo}/issues/{issue_number}/reactions', parameters, signal);
      return;
    }
    case 'node':
      await api.graphql(addReactionMutation, { id: target.id, content: contents[content] }, signal);
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
