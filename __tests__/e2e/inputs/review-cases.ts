// The inputs that decide what a review leaves on a pull request.
import { expect } from '@jest/globals';
import { mentionOn } from '../mention.ts';
import { type Scene, startScene } from '../scene.ts';
import type { InputCase } from './input-case.ts';

const remark = { path: 'NOTE.md', line: 1, body: 'Greet everybody.', suggestion: 'hello all' };
const noting = { calls: [{ name: 'add_review_comment', arguments: remark }] };
const approving = { calls: [{ name: 'set_verdict', arguments: { verdict: 'approve' } }] };
const answer = { text: 'One greeting is too narrow.' };

async function review(scene: Scene, inputs: Readonly<Record<string, string>>) {
  const { github } = scene;
  const files = { 'NOTE.md': 'hello\n' };
  const { number } = await github.openPull({ author: 'wendy', head: 'feature', title: 'A note', files });
  scene.passMinute();
  const { result } = await mentionOn(scene, number, { said: '@harness9 review', inputs });
  expect([result.exitCode, result.outputs.conclusion]).toEqual([0, 'success']);
  expect(scene.replies(number)).toEqual([]);
  const { reviews, reviewComments } = github.snapshot();
  expect(reviews).toHaveLength(1);
  return { state: reviews[0]?.state, body: reviews[0]?.body ?? '', comments: reviewComments.map(({ body }) => body) };
}

export const reviewCases: readonly InputCase[] = [
  {
    input: 'inline_comments',
    shows: '`suggestions` can be clicked, `comments` cannot, `none` puts every finding into the text',
    check: async () => {
      await using clicked = await startScene([noting, answer]);
      const { comments, body } = await review(clicked, {});
      expect(comments).toEqual([expect.stringContaining('Greet everybody.\n\n```suggestion\nhello all\n```')]);
      expect(body).toContain('One greeting is too narrow.');
      await using plain = await startScene([noting, answer]);
      expect((await review(plain, { inline_comments: 'comments' })).comments).toEqual([
        expect.stringContaining('Instead:\n\n```\nhello all\n```'),
      ]);
      await using none = await startScene([noting, answer]);
      const inText = await review(none, { inline_comments: 'none' });
      expect(inText.comments).toEqual([]);
      expect(inText.body).toContain('**`NOTE.md`, line 1**\n\nGreet everybody.');
    },
  },
  {
    input: 'allow_approve',
    shows: 'lets a review approve; without it there is no tool for that',
    check: async () => {
      await using free = await startScene([approving, answer]);
      expect((await review(free, { allow_approve: 'true' })).state).toBe('APPROVED');
      await using held = await startScene([approving, answer]);
      expect((await review(held, {})).state).toBe('COMMENTED');
      expect(held.sent(1).all).toContain('set_verdict');
    },
  },
];
