/** REST: commits, comparisons and branches. */
import { diffFiles, EMPTY_TREE } from '../git/diff.ts';
import type { Commit } from '../git/parse-object.ts';
import { type Call, param } from '../http/call.ts';
import { linkHeader, paged, readPage } from '../http/paging.ts';
import { json, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { repositoryPage, repositoryUrl } from '../render/render-account.ts';
import { renderCommit, renderFile } from '../render/render-commit.ts';
import { isPull, renderPullSummary } from '../render/render-pull.ts';

const READ = ['contents:read'] as const;
const REPOSITORY = '/repos/{owner}/{repo}';
// GitHub lists no more files in a comparison or a commit's first page.
const MAX_FILES = 300;

export const historyRoutes: readonly Route[] = [
  route(`GET ${REPOSITORY}/commits`, READ, listCommits),
  route(`GET ${REPOSITORY}/commits/{ref}`, READ, getCommit),
  route(`GET ${REPOSITORY}/commits/{commit_sha}/pulls`, ['pull_requests:read'], listPullsOfCommit),
  route(`GET ${REPOSITORY}/compare/{basehead}`, READ, compare),
  route(`GET ${REPOSITORY}/branches`, READ, listBranches),
  route(`GET ${REPOSITORY}/branches/{branch}`, READ, getBranch),
  route(`GET ${REPOSITORY}/rules/branches/{branch}`, [], listRules),
];

/** The sha that a branch, tag, ref or sha names; undefined when none does. */
export function resolveRevision(hub: Hub, name: string): string | undefined {
  const { refs } = hub.git;
  const prefix = `${hub.state.repository.owner}:`;
  if (name.startsWith(prefix)) return resolveRevision(hub, name.slice(prefix.length));
  const named = refs.get(`refs/heads/${name}`) ?? refs.get(`refs/tags/${name}`) ?? refs.get(`refs/${name}`) ?? refs.get(name);
  if (named !== undefined) return named;
  if (name === 'HEAD') return refs.get(`refs/heads/${hub.state.repository.defaultBranch}`);
  return /^[0-9a-f]{7,40}$/.test(name) ? name : undefined;
}

/** The commit that a name in a request stands for; 422 as GitHub answers for commits that are not there. */
export async function demandCommit(hub: Hub, name: string): Promise<Commit> {
  const revision = resolveRevision(hub, name);
  const commit = revision === undefined ? undefined : await hub.git.commit(revision);
  if (commit === undefined) throw new Refusal(422, `No commit found for SHA: ${name}`);
  return commit;
}

async function commitsOf(hub: Hub, shas: readonly string[]): Promise<readonly Commit[]> {
  const commits = await Promise.all(shas.map((sha) => hub.git.commit(sha)));
  return commits.filter((commit) => commit !== undefined);
}

async function listCommits(hub: Hub, call: Call): Promise<Reply> {
  const start = resolveRevision(hub, call.query.get('sha') ?? 'HEAD');
  if (start === undefined) throw notFound();
  const page = readPage(call.query);
  const path = call.query.get('path') ?? undefined;
  const shas = await hub.git.history([start], path === undefined ? {} : { path });
  const commits = await commitsOf(hub, shas.slice((page.number - 1) * page.size, page.number * page.size));
  return { status: 200, body: commits.map((commit) => renderCommit(hub, commit)), headers: linkHeader(hub, call, shas.length) };
}

async function getCommit(hub: Hub, call: Call): Promise<Reply> {
  const commit = await demandCommit(hub, param(call, 'ref'));
  const files = await diffFiles(hub.git, commit.parents[0] ?? EMPTY_TREE, commit.sha);
  const sum = (of: 'additions' | 'deletions'): number => files.reduce((total, file) => total + file[of], 0);
  const [additions, deletions] = [sum('additions'), sum('deletions')];
  return json({
    ...renderCommit(hub, commit),
    stats: { additions, deletions, total: additions + deletions },
    files: files.slice(0, MAX_FILES).map((file) => renderFile(hub, file, commit.sha)),
  });
}

async function listPullsOfCommit(hub: Hub, call: Call): Promise<Reply> {
  const commit = await demandCommit(hub, param(call, 'commit_sha'));
  const pulls = [...hub.state.threads.values()].filter(isPull);
  const isPartOf = await Promise.all(pulls.map(({ pull }) => isBetween(hub, commit.sha, pull)));
  const found = pulls.filter((_thread, index) => isPartOf[index]);
  return paged(hub, call, found, (thread) => renderPullSummary(hub, thread));
}

async function isBetween(hub: Hub, sha: string, pull: { baseSha: string; headSha: string }): Promise<boolean> {
  return (await hub.git.isAncestor(sha, pull.headSha)) && !(await hub.git.isAncestor(sha, pull.baseSha));
}

async function compare(hub: Hub, call: Call): Promise<Reply> {
  const [baseName = '', headName = ''] = param(call, 'basehead').split('...');
  const [baseSha, headSha] = [resolveRevision(hub, baseName), resolveRevision(hub, headName)];
  const base = baseSha === undefined ? undefined : await hub.git.commit(baseSha);
  const head = headSha === undefined ? undefined : await hub.git.commit(headSha);
  const meeting = base && head ? await hub.git.mergeBase(base.sha, head.sha) : undefined;
  const mergeBase = meeting === undefined ? undefined : await hub.git.commit(meeting);
  if (base === undefined || head === undefined || mergeBase === undefined) throw notFound();
  const [ahead, behind, files] = await Promise.all([
    hub.git.history([head.sha, `^${mergeBase.sha}`]),
    hub.git.history([base.sha, `^${mergeBase.sha}`]),
    diffFiles(hub.git, mergeBase.sha, head.sha),
  ]);
  const page = `${repositoryPage(hub)}/compare/${baseName}...${headName}`;
  return json({
    url: `${repositoryUrl(hub)}/compare/${baseName}...${headName}`,
    html_url: page,
    permalink_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    base_commit: renderCommit(hub, base),
    merge_base_commit: renderCommit(hub, mergeBase),
    status: compareStatus(ahead.length, behind.length),
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: (await commitsOf(hub, ahead.toReversed())).map((commit) => renderCommit(hub, commit)),
    files: files.slice(0, MAX_FILES).map((file) => renderFile(hub, file, head.sha)),
  });
}

function compareStatus(ahead: number, behind: number): 'diverged' | 'ahead' | 'behind' | 'identical' {
  if (ahead > 0) return behind > 0 ? 'diverged' : 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}

function isProtected(hub: Hub, branch: string): boolean {
  return hub.state.repository.protectedBranches.includes(branch);
}

function listBranches(hub: Hub, call: Call): Reply {
  const wanted = call.query.get('protected');
  const branches = [...hub.git.refs]
    .filter(([ref]) => ref.startsWith('refs/heads/'))
    .map(([ref, sha]) => ({ name: ref.slice('refs/heads/'.length), sha }))
    .filter(({ name }) => wanted === null || String(isProtected(hub, name)) === wanted)
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  return paged(hub, call, branches, ({ name, sha }) => ({
    name,
    commit: { sha, url: `${repositoryUrl(hub)}/commits/${sha}` },
    protected: isProtected(hub, name),
  }));
}

async function getBranch(hub: Hub, call: Call): Promise<Reply> {
  const name = param(call, 'branch');
  const sha = hub.git.refs.get(`refs/heads/${name}`);
  const commit = sha === undefined ? undefined : await hub.git.commit(sha);
  if (commit === undefined) throw new Refusal(404, 'Branch not found');
  const url = `${repositoryUrl(hub)}/branches/${encodeURIComponent(name)}`;
  const checks = { enforcement_level: 'off', contexts: [], checks: [] };
  return json({
    name,
    commit: renderCommit(hub, commit),
    _links: { self: url, html: `${repositoryPage(hub)}/tree/${name}` },
    protected: isProtected(hub, name),
    protection: { enabled: isProtected(hub, name), required_status_checks: checks },
    protection_url: `${url}/protection`,
  });
}

function listRules(hub: Hub, call: Call): Reply {
  const { owner, name } = hub.state.repository;
  const source = { ruleset_source_type: 'Repository', ruleset_source: `${owner}/${name}`, ruleset_id: 1 };
  const parameters = {
    allowed_merge_methods: ['merge', 'squash', 'rebase'],
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_approving_review_count: 1,
    required_review_thread_resolution: false,
  };
  return json(isProtected(hub, param(call, 'branch')) ? [{ type: 'pull_request', parameters, ...source }] : []);
}
