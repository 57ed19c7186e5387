/** REST: what a GitHub App asks in its own name: who it is, where it is installed, tokens for that. */
import { issueToken } from '../apps.ts';
import { isoSeconds } from '../git/parse-object.ts';
import { type Call, field, numberParam, optionalList, optionalTexts } from '../http/call.ts';
import { json, noContent, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { renderUserOrGhost } from '../render/render-account.ts';
import { renderApp } from '../render/render-app.ts';
import { renderRepository } from '../render/render-repository.ts';
import type { App, Level } from '../state.ts';

const TOKEN_LIFE_MS = 3_600_000;

export const appRoutes: readonly Route[] = [
  route('GET /app', [], (hub, call) => json(renderApp(hub, demandApp(hub, call)))),
  route('GET /repos/{owner}/{repo}/installation', [], (hub, call) => json(renderInstallation(hub, demandInstalled(hub, call)))),
  route('POST /app/installations/{installation_id}/access_tokens', [], createToken),
  route('DELETE /installation/token', [], revokeToken),
];

function demandApp(hub: Hub, call: Call): App {
  const app = hub.state.apps.get(call.grant?.appId ?? 0);
  if (app === undefined) throw new Refusal(401, 'A JSON web token could not be decoded');
  return app;
}

function demandInstalled(hub: Hub, call: Call): App {
  const app = demandApp(hub, call);
  if (!app.isInstalled) throw notFound();
  return app;
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
  if (numberParam(call, 'installation_id') !== app.installationId || !app.isInstalled) throw notFound();
  const repositories = readRepositories(hub, call.body);
  const permissions = { ...readWanted(app, call.body), metadata: 'read' as const };
  const expiresAt = isoSeconds(new Date(Date.parse(hub.now()) + TOKEN_LIFE_MS));
  const token = issueToken(hub.state, { actor: `${app.slug}[bot]`, permissions, expiresAt });
  const narrowed = repositories === undefined ? {} : { repositories };
  return json({ token, expires_at: expiresAt, permissions, repository_selection: 'selected', ...narrowed }, 201);
}

// A token may be for some of the installation's repositories; here there is one.
function readRepositories(hub: Hub, body: unknown) {
  const { id, name } = hub.state.repository;
  const names = optionalTexts(body, 'repositories');
  const ids = optionalList(body, 'repository_ids');
  if (names === undefined && ids === undefined) return undefined;
  const isOurs = [...(names ?? []), ...(ids ?? [])].every(
    (item) => item === id || String(item).toLowerCase() === name.toLowerCase(),
  );
  if (isOurs) return [renderRepository(hub)];
  const message = 'There is at least one repository that does not exist or is not accessible to the parent installation.';
  throw new Refusal(422, message);
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
