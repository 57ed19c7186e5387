// Posting the final reply, with what to say to people when GitHub does not take it (G1-30).
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { GitHubApiError, isGone } from '../api.ts';
import type { ChannelComment } from './channel/port.ts';
import type { PublishPorts } from './ports.ts';
import { postReply, type Reply } from './post-reply.ts';

export interface Said {
  readonly comment: { readonly id: number; readonly url: string } | null;
  /** Why there is no reply although there should be one; names the missing permission. */
  readonly fault: string | null;
}

/** Posts the reply. Rejects on abort only. */
export async function sayOnThread(plan: RunPlan, reply: Reply, ports: PublishPorts, signal: AbortSignal): Promise<Said> {
  if (plan.comment === 'none') return { comment: null, fault: null };
  try {
    return { comment: toComment(await postReply(plan, reply, ports, signal)), fault: null };
  } catch (error) {
    signal.throwIfAborted();
    return { comment: null, fault: explain(plan, error) };
  }
}

function toComment(posted: ChannelComment | null): Said['comment'] {
  return posted === null ? null : { id: posted.number, url: posted.url };
}

function explain(plan: RunPlan, error: unknown): string {
  const answer = error instanceof GitHubApiError ? error.answer : messageOf(error);
  const { place, permission } = wordsOf(plan);
  const isAway = isGone(error) || (error instanceof GitHubApiError && error.status === 301);
  const why = isAway ? `it was deleted or moved meanwhile: ${answer}` : answer;
  const said = `The reply could not be posted ${place} (${why}); it is in the job summary.`;
  // A locked thread is refused as well, and no permission opens it.
  const isMissing = error instanceof GitHubApiError && error.isMissingPermission;
  return isMissing ? `${said} The workflow’s job needs ${permission} under \`permissions\`.` : said;
}

/** Where it was to be said, and what a job needs for it. */
function wordsOf({ channel, thread }: RunPlan): { readonly place: string; readonly permission: string } {
  switch (channel?.kind) {
    case 'report':
      return { place: 'in the report’s issue', permission: '`issues: write`' };
    case 'discussion':
      return { place: `on #${channel.number}`, permission: '`discussions: write`' };
    case 'review_thread':
      return { place: `on #${channel.pull}`, permission: '`pull-requests: write`' };
    default: {
      const isPull = thread?.kind === 'pull_request';
      const permission = isPull ? '`pull-requests: write` and `issues: write`' : '`issues: write`';
      return { place: `on #${thread?.number ?? 0}`, permission };
    }
  }
}
