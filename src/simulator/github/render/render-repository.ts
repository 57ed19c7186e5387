/** The repository, or a fork of it, → GitHub's JSON. */
import type { Hub } from '../hub.ts';
import { nodeId, renderUserOrGhost } from './render-account.ts';

// The addresses under a repository's own that GitHub lists in every repository object.
const ADDRESSES: Readonly<Record<string, string>> = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
};

/** The simulated repository. */
export function renderRepository(hub: Hub) {
  const { owner, name, id } = hub.state.repository;
  return renderNamed(hub, { fullName: `${owner}/${name}`, id, isFork: false });
}

/** A fork of it, e.g. the head of a pull request. */
export function renderFork(hub: Hub, fork: { fullName: string; id: number }) {
  return renderNamed(hub, { ...fork, isFork: true });
}

/** `GET /repos/{owner}/{repo}`: the repository with what only its own page has. */
export function renderFullRepository(hub: Hub) {
  return { ...renderRepository(hub), network_count: 0, subscribers_count: 0, permissions: PUSH_PERMISSIONS };
}

const PUSH_PERMISSIONS = { admin: false, maintain: false, push: true, triage: true, pull: true };

interface Named {
  readonly fullName: string;
  readonly id: number;
  readonly isFork: boolean;
}

/** The repository in the short form that runs carry. */
export function renderMinimalRepository(hub: Hub) {
  const { owner, name, id } = hub.state.repository;
  return renderIdentity(hub, { fullName: `${owner}/${name}`, id, isFork: false });
}

/** A fork in the short form that runs carry. */
export function renderMinimalFork(hub: Hub, fork: { fullName: string; id: number }) {
  return renderIdentity(hub, { ...fork, isFork: true });
}

function renderIdentity(hub: Hub, facts: Named) {
  const [owner = '', name = ''] = facts.fullName.split('/');
  const url = `${hub.urls.api}/repos/${facts.fullName}`;
  return {
    id: facts.id,
    node_id: nodeId('Repository', facts.id),
    name,
    full_name: facts.fullName,
    private: hub.state.repository.isPrivate,
    owner: renderUserOrGhost(hub, owner),
    html_url: `${hub.urls.server}/${facts.fullName}`,
    description: null,
    fork: facts.isFork,
    url,
    ...addressesUnder(url),
  };
}

function renderNamed(hub: Hub, facts: Named) {
  const { repository, threads } = hub.state;
  const page = `${hub.urls.server}/${facts.fullName}`;
  const openIssues = facts.isFork ? 0 : [...threads.values()].filter((thread) => thread.state === 'open').length;
  return {
    ...renderIdentity(hub, facts),
    created_at: repository.createdAt,
    updated_at: repository.createdAt,
    pushed_at: hub.state.activity.at(-1)?.timestamp ?? repository.createdAt,
    git_url: `git://${new URL(page).host}/${facts.fullName}.git`,
    ssh_url: `git@${new URL(page).hostname}:${facts.fullName}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    homepage: null,
    size: 1,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    ...FEATURES,
    forks_count: 0,
    mirror_url: null,
    archived: false,
    disabled: false,
    open_issues_count: openIssues,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    custom_properties: {},
    visibility: repository.isPrivate ? 'private' : 'public',
    forks: 0,
    open_issues: openIssues,
    watchers: 0,
    default_branch: repository.defaultBranch,
  };
}

const FEATURES = {
  has_issues: true,
  has_projects: false,
  has_downloads: true,
  has_wiki: false,
  has_pages: false,
  has_discussions: false,
};

function addressesUnder(url: string): Record<string, string> {
  return Object.fromEntries(Object.entries(ADDRESSES).map(([name, path]) => [name, `${url}${path}`]));
}
