/** Accounts and repositories → GitHub's JSON. */
import type { Hub } from '../hub.ts';
import { findAccount } from '../people.ts';
import type { Account } from '../state.ts';

// GitHub shows this account where the schema wants a user and the account is gone.
const GHOST: Account = { login: 'ghost', id: 10_137, type: 'User', permission: 'none', isDeleted: false };

/** A GraphQL identifier that is the same for the same thing. */
export function nodeId(kind: string, id: number | string): string {
  return Buffer.from(`${kind}:${id}`).toString('base64url');
}

export function renderAccount(hub: Hub, account: Account) {
  const name = encodeURIComponent(account.login);
  const url = `${hub.urls.api}/users/${name}`;
  const slug = account.login.replace(/\[bot\]$/, '');
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId(account.type, account.id),
    avatar_url: `${hub.urls.server}/avatars/${account.id}`,
    gravatar_id: '',
    url,
    html_url: account.type === 'Bot' ? `${hub.urls.server}/apps/${slug}` : `${hub.urls.server}/${name}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: account.type,
    site_admin: false,
  };
}

/** The user of a login, or null when the account is gone. */
export function renderUser(hub: Hub, login: string) {
  const account = findAccount(hub.state, login);
  return account === undefined ? null : renderAccount(hub, account);
}

/** The user of a login, where GitHub has no null: a deleted account is `ghost`. */
export function renderUserOrGhost(hub: Hub, login: string) {
  return renderAccount(hub, findAccount(hub.state, login) ?? GHOST);
}

/** The repository's REST address. */
export function repositoryUrl(hub: Hub): string {
  return `${hub.urls.api}/repos/${hub.state.repository.owner}/${hub.state.repository.name}`;
}

/** The repository's page. */
export function repositoryPage(hub: Hub): string {
  return `${hub.urls.server}/${hub.state.repository.owner}/${hub.state.repository.name}`;
}
