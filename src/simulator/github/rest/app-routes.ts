/** REST: what a GitHub App asks in its own name: who it is, where it is installed, tokens for that. */
import { issueToken } from '../apps.ts';
import { isoSeconds } from '../git/parse-object.ts';
import { type Call, field, numberParam } from '../http/call.ts';
import { json, noContent, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { nodeId, renderUserOrGhost } from '../render/render-account.ts';
import type { App, Level } from '../state.ts';

const TOKEN_LIFE_MS = 3_600_000;

export const appRoutes: readonly Route[] = [
  route('GET /app', [], (hub, call) => json(renderApp(hub, demandApp(hub, call)))),
  route('GET /repos/{owner}/{repo}/installation', [], (hub, call) => json(renderInstallation(hub, demandApp(hub, call)))),
  route('POST /app/installations/{installation_id}/access_tokens', [], createToken),
  route('DELETE /installation/token', [], revokeToken),
];

function demandApp(hub: Hub, call: Call): App {
  const app = hub.state.apps.get(call.grant?.appId ?? 0);
  if (app === undefined) throw new Refusal(401, 'A JSON web token could not be decoded');
  return app;
}

function renderApp(hub: Hub, app: App) {
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('App', app.id),
    owner: renderUserOrGhost(hub, hub.state.repository.owner),
    name: app.slug,
    description: null,
    external_url: hub.urls.server,
    html_url: `${hub.urls.server}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: app.permissions,
    events: [],
  };
}

function renderInstallation(hub: Hub, app: App) {
  const account = renderUserOrGhost(hub, hub.state.repository.owner);
  return {
    id: app.installationId,
    account,
    repository_selection: 'selected',
    access_tokens_url: `${hub.urls.api}/app/installations/${app.installationId}/access_tokens`,
    repositories_url: `${hub.urls.api}/installation/repositories`,
    html_url: `${hub.urls.server}/settings/installations/${app.installationId}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type,
    permissions: app.permissions,
    events: [],
    created_at: app.createdAt,
    updated_at: app.createdAt,
    single_file_name: null,
    suspended_by: null,
    suspended_at: null,
  };
}

function createToken(hub: Hub, call: Call): Reply {
  const app = demandApp(hub, call);
  if (numberParam(call, 'installation_id') !== app.installationId) throw notFound();
  const permissions = { ...readWanted(app, call.body), metadata: 'read' as const };
  const expiresAt = isoSeconds(new Date(Date.parse(hub.now()) + TOKEN_LIFE_MS));
  const token = issueToken(hub.state, { actor: `${app.slug}[bot]`, permissions, expiresAt });
  return json({ token, expires_at: expiresAt, permissions, repository_selection: 'selected' }, 201);
}

// A token may have less than its app, never more.
function readWanted(app: App, body: unknown): Readonly<Record<string, Level>> {
  const wanted = field(body, 'permissions');
  if (typeof wanted !== 'object' || wanted === null) return app.permissions;
  const pairs = Object.entries(wanted).map(([name, level]): [string, Level] => [name, level === 'write' ? 'write' : 'read']);
  const isTooMuch = pairs.some(([name, level]) => app.permissions[name] !== level && app.permissions[name] !== 'write');
  if (isTooMuch) throw new Refusal(422, 'The permissions requested are not granted to this installation.');
  return Object.fromEntries(pairs);
}

function revokeToken(hub: Hub, call: Call): Reply {
  const entry = [...hub.state.grants].find(([, grant]) => grant === call.grant);
  if (entry === undefined) throw new Refusal(401, 'Requires authentication');
  hub.state.grants.delete(entry[0]);
  return noContent();
}
