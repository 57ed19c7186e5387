/** GraphQL: a ref that is moved from where the client saw it, which REST cannot ask for. */
import { guardProtectedBranch, guardSignatures, guardWorkflowFiles } from '../guards.ts';
import type { Hub } from '../hub.ts';
import { nodeId } from '../render/render-account.ts';
import { recordRefMove } from '../threads/branches.ts';
import { demand, type GraphqlCall, GraphqlError, type GraphqlOperation, textOf } from './operation.ts';

export const refOperations: Readonly<Record<string, GraphqlOperation>> = { ReplaceRef: replaceRef };

const path = 'updateRefs';

async function replaceRef(hub: Hub, call: GraphqlCall) {
  demand(call, path, ['contents:write']);
  const [ref, before, after] = [textOf(call, 'name'), textOf(call, 'beforeOid'), textOf(call, 'afterOid')];
  if (textOf(call, 'repositoryId') !== nodeId('Repository', hub.state.repository.id)) {
    throw new GraphqlError('Could not resolve to a node with the global id.', { type: 'NOT_FOUND', path: [path] });
  }
  if ((await hub.git.object(after))?.type !== 'commit') throw unprocessable(`Object ${after} does not exist`);
  guardProtectedBranch(hub, ref);
  await guardWorkflowFiles(hub, call.grant, after);
  await guardSignatures(hub, ref, after);
  const isThere = hub.git.refs.get(ref) === before && (await hub.git.updateRef(ref, after, before));
  if (!isThere) throw unprocessable(`Reference cannot be updated: ${ref} is not at ${before}`);
  await recordRefMove(hub, { actor: call.grant.actor, ref, before, after });
  return { updateRefs: { clientMutationId: null } };
}

function unprocessable(message: string): GraphqlError {
  return new GraphqlError(message, { type: 'UNPROCESSABLE', path: [path] });
}
