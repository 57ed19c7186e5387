/** Check runs → GitHub's JSON. */
import type { Hub } from '../hub.ts';
import type { CheckRun } from '../state.ts';
import { nodeId, repositoryPage, repositoryUrl } from './render-account.ts';
import { isPull, renderPullReference } from './render-pull.ts';

export function renderCheck(hub: Hub, check: CheckRun) {
  const url = `${repositoryUrl(hub)}/check-runs/${check.id}`;
  const page = `${repositoryPage(hub)}/runs/${check.id}`;
  const pulls = [...hub.state.threads.values()].filter(isPull).filter(({ pull }) => pull.headSha === check.headSha);
  return {
    id: check.id,
    node_id: nodeId('CheckRun', check.id),
    external_id: '',
    url,
    html_url: page,
    details_url: page,
    head_sha: check.headSha,
    name: check.name,
    status: check.status,
    conclusion: check.conclusion,
    started_at: check.startedAt,
    completed_at: check.completedAt,
    output: {
      title: check.title,
      summary: check.summary,
      text: null,
      annotations_count: 0,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: check.id },
    app: null,
    pull_requests: pulls.map((thread) => renderPullReference(hub, thread)),
  };
}
