/** GitHub Apps → GitHub's JSON. */
import type { Hub } from '../hub.ts';
import type { App } from '../state.ts';
import { nodeId, renderUserOrGhost } from './render-account.ts';

// The real app's identifier, by which products know its checks.
const GITHUB_ACTIONS: Pick<App, 'id' | 'slug' | 'permissions'> = {
  id: 15_368,
  slug: 'github-actions',
  permissions: { actions: 'write', checks: 'write', contents: 'write' },
};

export function renderApp(hub: Hub, app: Pick<App, 'id' | 'slug' | 'permissions'> & { readonly createdAt?: string }) {
  const createdAt = app.createdAt ?? hub.state.repository.createdAt;
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('App', app.id),
    owner: renderUserOrGhost(hub, hub.state.repository.owner),
    name: app.slug,
    description: null,
    external_url: hub.urls.server,
    html_url: `${hub.urls.server}/apps/${app.slug}`,
    created_at: createdAt,
    updated_at: createdAt,
    permissions: app.permissions,
    events: [],
  };
}

/** The app of a slug; one that is not installed here is shown by its name alone. */
export function renderAppOf(hub: Hub, slug: string) {
  if (slug === GITHUB_ACTIONS.slug) return renderApp(hub, GITHUB_ACTIONS);
  const app = [...hub.state.apps.values()].find((candidate) => candidate.slug === slug);
  return renderApp(hub, app ?? { id: 1, slug, permissions: { checks: 'write' } });
}
