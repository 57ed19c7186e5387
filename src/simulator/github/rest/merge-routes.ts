/** REST: one branch merged into another. */
import { guardProtectedBranch } from '../guards.ts';
import { actorOf, type Call, optionalText, requiredText } from '../http/call.ts';
import { json, noContent, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { signatureOf } from '../people.ts';
import { renderCommit } from '../render/render-commit.ts';
import { recordRefMove } from '../threads/branches.ts';
import { demandCommit, resolveRevision } from './history-routes.ts';

export const mergeRoutes: readonly Route[] = [route('POST /repos/{owner}/{repo}/merges', ['contents:write'], mergeBranches)];

// 201 with the commit, 204 when there is nothing to merge, 404 for a branch that is not there, 409 for a conflict.
async function mergeBranches(hub: Hub, call: Call): Promise<Reply> {
  const [base, headName] = [requiredText(call.body, 'base'), requiredText(call.body, 'head')];
  const ref = `refs/heads/${base}`;
  const [before, head] = [hub.git.refs.get(ref), resolveRevision(hub, headName)];
  if (before === undefined) throw new Refusal(404, 'Base does not exist');
  if (head === undefined) throw new Refusal(404, 'Head does not exist');
  guardProtectedBranch(hub, ref);
  if (await hub.git.isAncestor(head, before)) return noContent();
  if (!(await hub.git.canMerge(before, head))) throw new Refusal(409, 'Merge conflict');
  const tree = await hub.git.line('merge-tree', '--write-tree', before, head);
  const author = signatureOf(hub.state, actorOf(call), hub.now());
  const message = optionalText(call.body, 'commit_message') ?? `Merge ${headName} into ${base}`;
  const after = await hub.git.writeCommit({ tree, parents: [before, head], message, author, committer: author });
  hub.state.signedCommits.add(after);
  await hub.git.updateRef(ref, after, before);
  await recordRefMove(hub, { actor: actorOf(call), ref, before, after });
  return json(renderCommit(hub, await demandCommit(hub, after)), 201);
}
