/** REST: artifacts of this and of other runs. */
import { signedUrl } from '../artifacts/blob-part.ts';
import { demandOneOf } from '../auth.ts';
import type { Artifact } from '../ci-state.ts';
import { type Call, numberParam, param } from '../http/call.ts';
import { pagedUnder } from '../http/paging.ts';
import { json, noContent, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { isExpired, renderArtifact } from '../render/render-run.ts';

const READ = ['actions:read'] as const;
const ARTIFACTS = '/repos/{owner}/{repo}/actions/artifacts';

export const artifactRoutes: readonly Route[] = [
  route(`GET ${ARTIFACTS}`, READ, (hub, call) => listArtifacts(hub, call, () => true)),
  route('GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts', READ, listRunArtifacts),
  route(`GET ${ARTIFACTS}/{artifact_id}`, READ, (hub, call) => json(renderArtifact(hub, findArtifact(hub, call)))),
  route(`GET ${ARTIFACTS}/{artifact_id}/{archive_format}`, READ, downloadArtifact),
  route(`DELETE ${ARTIFACTS}/{artifact_id}`, ['actions:write'], deleteArtifact),
];

function listArtifacts(hub: Hub, call: Call, isWanted: (artifact: Artifact) => boolean): Reply {
  const name = call.query.get('name');
  const found = [...hub.state.artifacts.values()].filter(
    (item) => item.isFinal && isWanted(item) && (name === null || item.name === name),
  );
  const items = found.sort((left, right) => right.id - left.id);
  return pagedUnder(hub, call, 'artifacts', { items, render: (artifact) => renderArtifact(hub, artifact) });
}

function listRunArtifacts(hub: Hub, call: Call): Reply {
  const runId = numberParam(call, 'run_id');
  if (!hub.state.runs.has(runId)) throw notFound();
  return listArtifacts(hub, call, (artifact) => artifact.runId === runId);
}

function findArtifact(hub: Hub, call: Call): Artifact {
  const artifact = hub.state.artifacts.get(numberParam(call, 'artifact_id'));
  if (artifact === undefined || !artifact.isFinal) throw notFound();
  return artifact;
}

function downloadArtifact(hub: Hub, call: Call): Reply {
  // Anybody may list the artifacts of a public repository, but only a token downloads one.
  demandOneOf(hub.state, call.grant, READ);
  const artifact = findArtifact(hub, call);
  if (param(call, 'archive_format') !== 'zip') throw notFound();
  if (isExpired(hub, artifact)) throw new Refusal(410, 'Artifact has expired');
  return { status: 302, headers: { location: signedUrl(hub, artifact) } };
}

function deleteArtifact(hub: Hub, call: Call): Reply {
  hub.state.artifacts.delete(findArtifact(hub, call).id);
  return noContent();
}
