/** GraphQL: issues and pull requests: when they were edited, what they close, whether they can be merged. */
import type { Hub } from '../hub.ts';
import { isPull, type PullThread } from '../render/render-pull.ts';
import type { Thread } from '../state.ts';
import { connection } from './connection.ts';
import { demandRepository, type GraphqlCall, GraphqlError, type GraphqlOperation, numberOf } from './operation.ts';
import { renderRepositoryNode, renderThreadNode } from './render-node.ts';

export const threadOperations: Readonly<Record<string, GraphqlOperation>> = {
  ThreadEdit: threadEdit,
  ClosingIssues: closingIssues,
  MergeState: mergeState,
};

function threadEdit(hub: Hub, call: GraphqlCall) {
  demandRepository(hub, call);
  const number = numberOf(call, 'number');
  const thread = hub.state.threads.get(number);
  if (thread === undefined) throw missing('an issue or pull request', number, 'issueOrPullRequest');
  return { repository: { ...renderRepositoryNode(hub), issueOrPullRequest: renderThreadNode(hub, thread) } };
}

/** The pull request of `$number`. */
export function demandPull(hub: Hub, call: GraphqlCall): PullThread {
  demandRepository(hub, call);
  const number = numberOf(call, 'number');
  const thread = hub.state.threads.get(number);
  if (!isPull(thread)) throw missing('a PullRequest', number, 'pullRequest');
  return thread;
}

export function missing(what: string, number: number, field: string): GraphqlError {
  const message = `Could not resolve to ${what} with the number of ${number}.`;
  return new GraphqlError(message, { type: 'NOT_FOUND', path: ['repository', field] });
}

function closingIssues(hub: Hub, call: GraphqlCall) {
  const thread = demandPull(hub, call);
  const nodes = closedBy(hub, thread).map((issue) => renderThreadNode(hub, issue));
  const closingIssuesReferences = connection(call, 'closingIssuesReferences', nodes);
  return {
    repository: { ...renderRepositoryNode(hub), pullRequest: { ...renderThreadNode(hub, thread), closingIssuesReferences } },
  };
}

// GitHub's words, before a number, a number with the repository's name, or an address.
const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:https?:\/\/[^\s/]+\/([\w.-]+\/[\w.-]+)\/issues\/|([\w.-]+\/[\w.-]+)?#)(\d+)\b/gi;

// Only a pull request into the default branch closes anything.
function closedBy(hub: Hub, thread: PullThread): readonly Thread[] {
  const { owner, name, defaultBranch } = hub.state.repository;
  if (thread.pull.baseRef !== defaultBranch) return [];
  const ours = `${owner}/${name}`.toLowerCase();
  const numbers = [...(thread.body ?? '').matchAll(CLOSING)]
    .filter(([, inUrl, named]) => (inUrl ?? named ?? ours).toLowerCase() === ours)
    .map(([, , , number]) => Number(number));
  const found = [...new Set(numbers)].map((number) => hub.state.threads.get(number));
  return found.filter((issue) => issue !== undefined).filter((issue) => issue.pull === null);
}

async function mergeState(hub: Hub, call: GraphqlCall) {
  const thread = demandPull(hub, call);
  const { baseRef, headRef, headSha, isDraft } = thread.pull;
  const base = hub.git.refs.get(`refs/heads/${baseRef}`);
  const isOpen = thread.state === 'open' && base !== undefined;
  const merges = isOpen && (await hub.git.canMerge(base, headSha));
  const pullRequest = {
    ...renderThreadNode(hub, thread),
    isDraft,
    baseRefName: baseRef,
    headRefName: headRef,
    headRefOid: headSha,
    baseRefOid: base ?? thread.pull.baseSha,
    // What is closed is not tried any more.
    mergeable: isOpen ? (merges ? 'MERGEABLE' : 'CONFLICTING') : 'UNKNOWN',
  };
  return { repository: { ...renderRepositoryNode(hub), pullRequest } };
}
