// The inputs that decide what of a thread the agent is shown, and in which language it answers.
import { expect } from '@jest/globals';
import { conversationOn, type Scene, startScene } from '../scene.ts';
import type { InputCase } from './input-case.ts';

const answer = { text: 'Answered.' };

/** An issue that a person and a bot wrote on, and what the agent is told of it under `inputs`. */
async function toldOn(scene: Scene, inputs: Readonly<Record<string, string>>): Promise<string> {
  const { github } = scene;
  github.addUser('noisy[bot]', { type: 'Bot' });
  const issue = github.openIssue({ author: 'wendy', title: 'Total is wrong' });
  for (const author of ['wendy', 'oscar', 'noisy[bot]'])
    github.comment({ author, issue: issue.number, body: `Said by ${author}.` });
  const { outputs } = await conversationOn(scene, issue.number)('wendy', '@harness9 what is it?', { inputs });
  expect(outputs.conclusion).toBe('no_changes');
  return scene.sent(0).all;
}

export const contextCases: readonly InputCase[] = [
  {
    input: 'include_comments_by_actor',
    shows: 'lets the agent read the comments of those people alone, and says that others are left out',
    check: async () => {
      await using scene = await startScene([answer]);
      const told = await toldOn(scene, { include_comments_by_actor: 'oscar' });
      expect(told).toContain('Said by oscar.');
      expect(told).not.toMatch(/Said by (?:wendy|noisy)/);
      expect(told).toContain('Left out of this: 2 comments by accounts that the workflow leaves out.');
    },
  },
  {
    input: 'exclude_comments_by_actor',
    shows: 'keeps comments from the agent, of all bots with *[bot], and the run is as trusted as without them',
    check: async () => {
      await using scene = await startScene([answer]);
      const told = await toldOn(scene, { exclude_comments_by_actor: '*[bot], oscar' });
      expect(told).toContain('Said by wendy.');
      expect(told).not.toMatch(/Said by (?:oscar|noisy)/);
      expect(told).toContain('Left out of this: 2 comments by accounts that the workflow leaves out.');
    },
  },
  {
    input: 'language',
    shows: 'is told to the agent beside the request, and not where nothing is said',
    check: async () => {
      await using scene = await startScene([answer]);
      expect(await toldOn(scene, { language: 'Portuguese' })).toContain('Write your answer in this language: Portuguese.');
      await using another = await startScene([answer]);
      expect(await toldOn(another, {})).not.toContain('in this language');
    },
  },
];
