/** REST: the repository, accounts, permissions, limits. */

import { notAccessible } from '../auth.ts';
import { type Call, param } from '../http/call.ts';
import { paged } from '../http/paging.ts';
import { json, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { effectiveRole, findAccount, legacyPermission } from '../people.ts';
import { nodeId, renderAccount, renderUser } from '../render/render-account.ts';
import { renderFullRepository } from '../render/render-repository.ts';
import type { Account, Role } from '../state.ts';

const ROLES: readonly Role[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

export const repositoryRoutes: readonly Route[] = [
  route('GET /repos/{owner}/{repo}', [], (hub) => json(renderFullRepository(hub))),
  route('GET /repos/{owner}/{repo}/collaborators/{username}/permission', [], getPermission),
  route('GET /repos/{owner}/{repo}/activity', ['contents:read'], listActivity),
  route('GET /repos/{owner}/{repo}/topics', [], () => json({ names: [] })),
  route('GET /users/{username}', [], getUser),
  route('GET /user', [], getAuthenticatedUser),
  route('GET /rate_limit', [], getRateLimit),
];

function getPermission(hub: Hub, call: Call): Reply {
  if (call.grant === undefined) throw new Refusal(401, 'Requires authentication');
  const login = param(call, 'username');
  const account = findAccount(hub.state, login);
  // Apps have no role on a repository, and GitHub says it in these words.
  if (account === undefined || account.type === 'Bot') throw new Refusal(404, `${login} is not a user`);
  const role = effectiveRole(hub.state, account);
  const rank = ROLES.indexOf(role);
  const atLeast = (needed: Role): boolean => rank >= ROLES.indexOf(needed);
  const permissions = {
    admin: atLeast('admin'),
    maintain: atLeast('maintain'),
    push: atLeast('write'),
    triage: atLeast('triage'),
    pull: atLeast('read'),
  };
  return json({
    permission: legacyPermission(role),
    user: { ...renderAccount(hub, account), permissions, role_name: role },
    role_name: role,
  });
}

function listActivity(hub: Hub, call: Call): Reply {
  const ref = call.query.get('ref');
  const fullRef = ref === null || ref.startsWith('refs/') ? ref : `refs/heads/${ref}`;
  const actor = call.query.get('actor');
  const type = call.query.get('activity_type');
  const found = hub.state.activity.filter(
    (item) =>
      (fullRef === null || item.ref === fullRef) &&
      (actor === null || item.actor === actor) &&
      (type === null || item.type === type),
  );
  const newestFirst = call.query.get('direction') === 'asc' ? found : found.toReversed();
  return paged(hub, call, newestFirst, (item) => ({
    id: item.id,
    node_id: nodeId('Activity', item.id),
    before: item.before,
    after: item.after,
    ref: item.ref,
    timestamp: item.timestamp,
    activity_type: item.type,
    actor: renderUser(hub, item.actor),
  }));
}

function getUser(hub: Hub, call: Call): Reply {
  const account = findAccount(hub.state, param(call, 'username'));
  if (account === undefined) throw notFound();
  return json(renderProfile(hub, account));
}

function getAuthenticatedUser(hub: Hub, call: Call): Reply {
  if (call.grant === undefined) throw new Refusal(401, 'Requires authentication');
  const account = findAccount(hub.state, call.grant.actor);
  if (account === undefined || account.type === 'Bot') throw notAccessible(hub.state, call.grant);
  return json(renderProfile(hub, account));
}

function renderProfile(hub: Hub, account: Account) {
  const { createdAt } = hub.state.repository;
  const unknown = { name: null, company: null, blog: '', location: null, email: null, hireable: null, bio: null };
  const counts = { public_repos: 0, public_gists: 0, followers: 0, following: 0 };
  return { ...renderAccount(hub, account), ...unknown, ...counts, created_at: createdAt, updated_at: createdAt };
}

function getRateLimit(hub: Hub): Reply {
  const limit = { limit: 5000, used: 0, remaining: 5000, reset: Math.floor(Date.parse(hub.now()) / 1000) + 3600 };
  return json({ resources: { core: limit, search: limit }, rate: limit });
}
