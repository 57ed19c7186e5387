// Posting the final reply, with what to say to people when GitHub does not take it (G1-30).
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { GitHubApiError } from '../api.ts';
import type { OwnComment } from './own-comments.ts';
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

function toComment(posted: OwnComment | null): Said['comment'] {
  return posted === null ? null : { id: posted.id, url: posted.url };
}

function explain(plan: RunPlan, error: unknown): string {
  const answer = error instanceof GitHubApiError ? error.answer : messageOf(error);
  const said = `The reply could not be posted on #${plan.thread?.number ?? 0} (${answer}); it is in the job summary.`;
  const isForbidden = error instanceof GitHubApiError && error.status === 403 && !error.isRateLimit;
  if (!isForbidden) return said;
  const permission = plan.thread?.kind === 'pull_request' ? '`pull-requests: write` and `issues: write`' : '`issues: write`';
  return `${said} The workflow’s job needs ${permission} under \`permissions\`.`;
}
