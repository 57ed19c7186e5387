// The usual scenario: wendy opens an issue and asks for a fix in a comment.
import type { ActionResult } from '../../src/simulator/runner/contract.ts';
import type { RunWish, Scene } from './scene.ts';

/** Opens the issue, comments and runs. `said` is the comment. */
export async function mention(
  scene: Scene,
  { said = '@harness9 fix it', ...wish }: Partial<RunWish> & { readonly said?: string } = {},
): Promise<{ readonly issue: number; readonly comment: number; readonly result: ActionResult }> {
  const issue = scene.github.openIssue({ author: 'wendy', title: 'Total is wrong' });
  const { comment, result } = await mentionOn(scene, issue.number, { said, ...wish });
  return { issue: issue.number, comment, result };
}

/** The same on a thread that is there. */
export async function mentionOn(
  scene: Scene,
  thread: number,
  { said = '@harness9 fix it', ...wish }: Partial<RunWish> & { readonly said?: string } = {},
): Promise<{ readonly comment: number; readonly result: ActionResult }> {
  const author = wish.actor ?? 'wendy';
  const comment = scene.github.comment({ author, issue: thread, body: said });
  const refs = { issue: thread, comment: comment.id };
  const result = await scene.run({ event: 'issue_comment', refs, ...wish, actor: author });
  return { comment: comment.id, result };
}
