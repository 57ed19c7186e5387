// End to end on dist: what people show in a thread, and what lies in the repository, is seen by the model; and by nobody else.
import { expect, test } from '@jest/globals';
import { realGif, realPng } from '../schema/real-pictures.ts';
import { conversationOn, type Scene, shopFiles, startScene } from './scene.ts';

const shot = (scene: Scene, author: string, content: Uint8Array) => {
  const { url } = scene.github.attach({ author, name: 'shot.png', content });
  return { url, text: `![shot](${url})`, data: Buffer.from(content).toString('base64') };
};
const asked = (scene: Scene) => scene.github.requests.filter(({ kind }) => kind === 'attachment');
const timesIn = (text: string, data: string) => text.split(data).length - 1;

test.each([
  ['openai', 'image_url'],
  ['anthropic', 'media_type'],
] as const)(
  '%s: pictures of a private thread and of a file reach the model beside their texts',
  async (provider, mark) => {
    const inFile = realPng(5, 5, { shade: 9 });
    await using scene = await startScene(
      [
        { calls: [{ name: 'read_file', arguments: { path: 'docs/total.png' } }] },
        { text: 'I see a total.' },
        { text: 'Still a total.' },
      ],
      { private: true, files: { ...shopFiles, 'docs/total.png': inFile } },
    );
    const { github, model } = scene;
    const theirs = shot(scene, 'oscar', realPng(4, 3, { shade: 1 }));
    const moving = shot(scene, 'oscar', realGif(2));
    const own = shot(scene, 'wendy', realPng(4, 3, { shade: 2 }));
    const body = `It looks so: ${theirs.text} ${moving.text} ![](https://evil.example/track.png)`;
    const issue = github.openIssue({ author: 'oscar', title: 'Total is wrong', body });
    const ask = conversationOn(scene, issue.number);
    const baseUrl = provider === 'openai' ? model.openaiUrl : model.url;
    const inputs = { provider, base_url: baseUrl, create_pr: 'none' };

    const first = await ask('wendy', `@harness9 what should it look like? ${own.text}`, { inputs });
    expect(first.outputs).toMatchObject({ conclusion: 'no_changes' });
    const { all } = scene.sent(0);
    expect([theirs, own, moving].map(({ data }) => timesIn(all, data))).toEqual([1, 1, 0]);
    expect(all).toContain(`picture 1 in the description by oscar, may not write here`);
    expect(all).toContain('picture 2 left out: it is animated');
    expect(all).toContain('picture 3 left out: it is not kept by GitHub');
    expect(all).toContain(`Picture 1 of the request below, ${own.url}`);
    expect(all).toContain(mark);
    expect(timesIn(scene.sent(1).all, inFile.toString('base64'))).toBe(1);
    expect(asked(scene).map(({ actor, status }) => [actor, status])).toEqual([
      [null, 200],
      [null, 200],
      [null, 200],
    ]);

    // A later run has them in its conversation, and shows none of them twice.
    const second = await ask('wendy', '@harness9 and now?', { inputs });
    expect(second.outputs).toMatchObject({ conclusion: 'no_changes', session_resumed: 'true' });
    const again = scene.sent(2).all;
    expect([theirs.data, own.data, inFile.toString('base64')].map((data) => timesIn(again, data))).toEqual([1, 1, 1]);
    expect(again).toContain('picture 1 left out: it is shown earlier in this conversation');
    expect(scene.contractProblems()).toEqual([]);
  },
  120_000,
);

test('a model that sees none gets a line for each, and the reply says so once', async () => {
  await using scene = await startScene([{ text: 'I cannot see it.' }]);
  const theirs = shot(scene, 'oscar', realPng());
  const issue = scene.github.openIssue({ author: 'oscar', title: 'Total is wrong', body: theirs.text });
  const inputs = { model: 'gpt-3.5-turbo', create_pr: 'none' };
  const result = await conversationOn(scene, issue.number)('wendy', '@harness9 look', { inputs });
  expect(result.outputs).toMatchObject({ conclusion: 'no_changes' });
  expect(timesIn(scene.sent(0).all, theirs.data)).toBe(0);
  expect(scene.sent(0).all).toContain('[a picture; left out: this model sees none]');
  const note = 'Pictures were left out of what gpt-3.5-turbo was shown: this model sees none.';
  expect(timesIn(scene.replies(issue.number).join('\n'), note)).toBe(1);
}, 180_000);
