/** Commits, trees' addresses and changed files → GitHub's JSON. */
import type { FileDiff } from '../git/diff.ts';
import type { Commit } from '../git/parse-object.ts';
import type { Hub } from '../hub.ts';
import { nodeId, renderUser, repositoryPage, repositoryUrl } from './render-account.ts';

const UNSIGNED = { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null };

// Who reads a signature here, reads whether there is one: no key is behind it.
function renderVerification(hub: Hub, commit: Commit) {
  if (!hub.state.signedCommits.has(commit.sha)) return UNSIGNED;
  const signature = '-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n';
  return { verified: true, reason: 'valid', signature, payload: `tree ${commit.tree}\n`, verified_at: commit.committer.date };
}

/** A commit of the git database (`git/commits`). */
export function renderGitCommit(hub: Hub, commit: Commit) {
  const base = repositoryUrl(hub);
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', commit.sha),
    url: `${base}/git/commits/${commit.sha}`,
    html_url: `${repositoryPage(hub)}/commit/${commit.sha}`,
    author: commit.author,
    committer: commit.committer,
    tree: { sha: commit.tree, url: `${base}/git/trees/${commit.tree}` },
    message: commit.message.replace(/\n$/, ''),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${base}/git/commits/${sha}`,
      html_url: `${repositoryPage(hub)}/commit/${sha}`,
    })),
    verification: renderVerification(hub, commit),
  };
}

/** A commit of the history (`commits`, `pulls/{n}/commits`, `compare`). */
export function renderCommit(hub: Hub, commit: Commit) {
  const base = repositoryUrl(hub);
  const url = `${base}/commits/${commit.sha}`;
  const page = `${repositoryPage(hub)}/commit/${commit.sha}`;
  const git = renderGitCommit(hub, commit);
  return {
    sha: commit.sha,
    node_id: git.node_id,
    commit: {
      author: commit.author,
      committer: commit.committer,
      message: git.message,
      tree: git.tree,
      url: git.url,
      comment_count: 0,
      verification: git.verification,
    },
    url,
    html_url: page,
    comments_url: `${url}/comments`,
    author: renderAuthor(hub, commit.author),
    committer: renderAuthor(hub, commit.committer),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${base}/commits/${sha}`,
      html_url: `${repositoryPage(hub)}/commit/${sha}`,
    })),
  };
}

// GitHub finds the account by the address; here it is the one that signatureOf made.
function renderAuthor(hub: Hub, author: { email: string }) {
  const login = /^\d+\+(.+)@users\.noreply\.github\.com$/.exec(author.email)?.[1];
  return login === undefined ? null : renderUser(hub, login);
}

/** A changed file of a pull request, a commit or a comparison. */
export function renderFile(hub: Hub, file: FileDiff, revision: string) {
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  return {
    sha: file.sha,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${repositoryPage(hub)}/blob/${revision}/${path}`,
    raw_url: `${repositoryPage(hub)}/raw/${revision}/${path}`,
    contents_url: `${repositoryUrl(hub)}/contents/${path}?ref=${revision}`,
    ...(file.patch === null ? {} : { patch: file.patch }),
    ...(file.previousPath === null ? {} : { previous_filename: file.previousPath }),
  };
}
