/** REST: pull requests. */
import { diffFiles, diffText, patchText } from '../git/diff.ts';
import {
  actorOf,
  type Call,
  field,
  optionalFlag,
  optionalText,
  optionalTexts,
  optionalWord,
  requiredText,
} from '../http/call.ts';
import { linkHeader, paged, pageOf } from '../http/paging.ts';
import { invalid, json, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { findAccount } from '../people.ts';
import { renderCommit, renderFile } from '../render/render-commit.ts';
import { isPull, type PullThread, renderPull, renderPullSummary } from '../render/render-pull.ts';
import { createPull, mergePull } from '../threads/pulls.ts';
import { editThread } from '../threads/threads.ts';
import { findPull } from './find.ts';

const READ = ['pull_requests:read'] as const;
const WRITE = ['pull_requests:write'] as const;
const PULL = '/repos/{owner}/{repo}/pulls/{pull_number}';
// Beyond these GitHub answers 406 instead of a diff.
const MAX_DIFF_FILES = 300;
const MAX_DIFF_LINES = 20_000;

export const pullRoutes: readonly Route[] = [
  route('GET /repos/{owner}/{repo}/pulls', READ, listPulls),
  route('POST /repos/{owner}/{repo}/pulls', WRITE, postPull),
  route(`GET ${PULL}`, READ, getPull),
  route(`PATCH ${PULL}`, WRITE, updatePull),
  // Merging writes to the base branch: the permission is that of the contents.
  route(`PUT ${PULL}/merge`, ['contents:write'], putMerge),
  route(`GET ${PULL}/files`, READ, listFiles),
  route(`GET ${PULL}/commits`, READ, listCommits),
  route(`POST ${PULL}/requested_reviewers`, WRITE, requestReviewers),
  route(`DELETE ${PULL}/requested_reviewers`, WRITE, removeReviewers),
];

function listPulls(hub: Hub, call: Call): Reply {
  const { query } = call;
  const state = query.get('state') ?? 'open';
  const head = query.get('head');
  const base = query.get('base');
  const found = [...hub.state.threads.values()]
    .filter(isPull)
    .filter(
      (thread) =>
        (state === 'all' || thread.state === state) &&
        (base === null || thread.pull.baseRef === base) &&
        (head === null || !head.includes(':') || renderPullSummary(hub, thread).head.label === head),
    );
  return paged(hub, call, query.get('direction') === 'asc' ? found : found.reverse(), (thread) => renderPullSummary(hub, thread));
}

async function postPull(hub: Hub, call: Call): Promise<Reply> {
  if (actorOf(call) === 'github-actions[bot]' && !hub.state.repository.actionsMayCreatePulls) {
    throw new Refusal(403, 'GitHub Actions is not permitted to create or approve pull requests.');
  }
  const thread = await createPull(hub, {
    author: actorOf(call),
    title: requiredText(call.body, 'title'),
    body: optionalText(call.body, 'body') ?? null,
    head: requiredText(call.body, 'head'),
    base: requiredText(call.body, 'base'),
    isDraft: optionalFlag(call.body, 'draft') ?? false,
  });
  if (!isPull(thread)) throw new Refusal(500, 'a pull request was expected');
  return json(renderPull(hub, thread), 201);
}

async function getPull(hub: Hub, call: Call): Promise<Reply> {
  const thread = findPull(hub, call);
  const format = /application\/vnd\.github(?:\.[\w-]+)?\.(diff|patch)/.exec(call.accept)?.[1];
  if (format === undefined) return json(await renderMergeable(hub, thread));
  const { stats } = thread.pull;
  if (stats.changedFiles > MAX_DIFF_FILES) throw tooLarge(`files (${MAX_DIFF_FILES})`);
  if (stats.additions + stats.deletions > MAX_DIFF_LINES) throw tooLarge(`lines (${MAX_DIFF_LINES})`);
  const from = await mergeBase(hub, thread);
  const body = await (format === 'diff' ? diffText : patchText)(hub.git, from, thread.pull.headSha);
  return { status: 200, body, headers: { 'content-type': `application/vnd.github.v3.${format}; charset=utf-8` } };
}

// GitHub tries the merge when somebody looks at the pull request.
async function renderMergeable(hub: Hub, thread: PullThread) {
  const rendered = renderPull(hub, thread);
  const base = hub.git.refs.get(`refs/heads/${thread.pull.baseRef}`);
  const isOpen = thread.state === 'open' && base !== undefined;
  if (!isOpen || (await hub.git.canMerge(base, thread.pull.headSha))) return rendered;
  return { ...rendered, mergeable: false, rebaseable: false, mergeable_state: 'dirty' };
}

function tooLarge(limit: string): Refusal {
  const message = `Sorry, the diff exceeded the maximum number of ${limit}. Consider using 'List pull requests files' API or locally cloning the repository instead.`;
  return new Refusal(406, message, [{ resource: 'PullRequest', field: 'diff', code: 'too_large' }]);
}

async function mergeBase(hub: Hub, thread: PullThread): Promise<string> {
  const { baseSha, headSha } = thread.pull;
  return (await hub.git.mergeBase(baseSha, headSha)) ?? baseSha;
}

function updatePull(hub: Hub, call: Call): Reply {
  const thread = findPull(hub, call);
  const base = optionalText(call.body, 'base') ?? thread.pull.baseRef;
  if (!hub.git.refs.has(`refs/heads/${base}`)) throw invalid({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  thread.pull.baseRef = base;
  editThread(hub, thread, actorOf(call), {
    title: optionalText(call.body, 'title') ?? undefined,
    body: optionalText(call.body, 'body'),
    state: optionalWord(call.body, 'state', ['open', 'closed']),
  });
  return json(renderPull(hub, thread));
}

// The statuses and texts are those of the documentation; `merge_method` is left aside: here everything is a merge commit.
async function putMerge(hub: Hub, call: Call): Promise<Reply> {
  const thread = findPull(hub, call);
  const expected = optionalText(call.body, 'sha') ?? thread.pull.headSha;
  if (thread.state !== 'open' || thread.pull.isDraft) throw new Refusal(405, 'Pull Request is not mergeable');
  if (expected !== thread.pull.headSha) throw new Refusal(409, 'Head branch was modified. Review and try the merge again.');
  const base = hub.git.refs.get(`refs/heads/${thread.pull.baseRef}`) ?? thread.pull.baseSha;
  if (!(await hub.git.canMerge(base, thread.pull.headSha))) throw new Refusal(405, 'Pull Request is not mergeable');
  return json({ sha: await mergePull(hub, thread, actorOf(call)), merged: true, message: 'Pull Request successfully merged' });
}

async function listFiles(hub: Hub, call: Call): Promise<Reply> {
  const thread = findPull(hub, call);
  const files = await diffFiles(hub.git, await mergeBase(hub, thread), thread.pull.headSha);
  return paged(hub, call, files, (file) => renderFile(hub, file, thread.pull.headSha));
}

async function listCommits(hub: Hub, call: Call): Promise<Reply> {
  const { baseSha, headSha } = findPull(hub, call).pull;
  const shas = (await hub.git.history([headSha, `^${baseSha}`])).toReversed();
  const commits = await Promise.all(pageOf(call, shas).map((sha) => hub.git.commit(sha)));
  const body = commits.filter((commit) => commit !== undefined).map((commit) => renderCommit(hub, commit));
  return { status: 200, body, headers: linkHeader(hub, call, shas.length) };
}

function requestReviewers(hub: Hub, call: Call): Reply {
  const thread = findPull(hub, call);
  for (const login of optionalTexts(call.body, 'reviewers') ?? []) {
    const account = findAccount(hub.state, login);
    const isCollaborator = account !== undefined && account.permission !== 'none';
    if (!isCollaborator) {
      throw new Refusal(
        422,
        'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the repository.',
      );
    }
    if (login === thread.author) throw new Refusal(422, 'Review cannot be requested from pull request author.');
    if (!thread.pull.requestedReviewers.includes(account.login)) thread.pull.requestedReviewers.push(account.login);
  }
  if (field(call.body, 'team_reviewers') !== undefined && (optionalTexts(call.body, 'team_reviewers') ?? []).length > 0) {
    throw new Refusal(422, 'Could not resolve to a node with the global id.');
  }
  return json(renderPullSummary(hub, thread), 201);
}

function removeReviewers(hub: Hub, call: Call): Reply {
  const thread = findPull(hub, call);
  const gone = optionalTexts(call.body, 'reviewers') ?? [];
  thread.pull.requestedReviewers = thread.pull.requestedReviewers.filter((login) => !gone.includes(login));
  return json(renderPullSummary(hub, thread));
}
