// End to end on dist: answers of GitHub that are lost, and events that come twice; each takes effect once (R4).
import { describe, expect, test } from '@jest/globals';
import { mention } from './mention.ts';
import { mendingTurn, type Scene, startScene } from './scene.ts';

const timeout = 180_000;
const answer = { text: 'The total adds up now.' };

/** One reply, one branch, one pull request, and the pull request is the branch's. */
function expectOnce(scene: Scene, issue: number): void {
  const state = scene.github.snapshot();
  const branches = Object.keys(state.refs).filter((ref) => ref.startsWith('refs/heads/') && ref !== 'refs/heads/main');
  expect(branches).toEqual([`refs/heads/${state.pulls[0]?.head}`]);
  expect(state.pulls).toHaveLength(1);
  expect(scene.replies(issue)).toEqual([expect.stringContaining('The total adds up now.')]);
}

const commentsPath = /\/issues\/\d+\/comments$/;
const commentPath = /\/issues\/comments\/\d+$/;

describe('an answer that is lost after it took effect', () => {
  test.each([
    ['the progress comment’s', 'POST', commentsPath, 1],
    ['the reply’s', 'PATCH', commentPath, 2],
    ['the tree’s', 'POST', /\/git\/trees$/, 2],
    ['the commit’s', 'POST', /\/git\/commits$/, 2],
    ['the branch’s', 'POST', /\/git\/refs$/, 1],
    ['the pull request’s', 'POST', /\/pulls$/, 1],
  ])(
    '%s gives one reply, one branch, one pull request (R4)',
    async (_whose, method, path, times) => {
      const lose = () => scene.github.fail({ method, path, status: 0, after: 'apply' });
      // The reply's own edit and not one that shows progress.
      const last = () => {
        if (method === 'PATCH') lose();
        return answer;
      };
      await using scene = await startScene([mendingTurn, last]);
      if (method !== 'PATCH') lose();

      const { issue, result } = await mention(scene);

      expect(result.outputs).toMatchObject({ conclusion: 'success', pull_request_operation: 'created' });
      expectOnce(scene, issue);
      expect(scene.replies(issue)[0]).toContain(`· #${result.outputs.pull_request_number} ·`);
      const lost = scene.github.requests.filter(
        (request) =>
          request.method === method &&
          request.path.search(path) >= 0 &&
          (method === 'POST' || !JSON.stringify(request.body).includes('kind=progress')),
      );
      // What GitHub would make twice is looked for and not asked for again.
      expect(lost.map(({ status }) => status === 0)).toEqual([true, ...Array.from({ length: times - 1 }, () => false)]);
    },
    timeout,
  );

  test(
    'a reply’s own comment’s, where no progress comment could be had, gives one reply',
    async () => {
      await using scene = await startScene([mendingTurn, answer]);
      // 422 is a refusal of this comment, and none of the job.
      scene.github.fail({ method: 'POST', path: commentsPath, status: 422 });
      scene.github.fail({ method: 'POST', path: commentsPath, status: 0, after: 'apply' });

      const { issue } = await mention(scene);

      expectOnce(scene, issue);
      const posts = scene.github.requests.filter(({ method, path }) => method === 'POST' && commentsPath.test(path));
      expect(posts.map(({ status }) => status)).toEqual([422, 0]);
    },
    timeout,
  );
});

describe('an event that is delivered twice', () => {
  test.each([
    ['with the same change', mendingTurn],
    [
      'with another change',
      { calls: [{ name: 'write_file', arguments: { path: 'src/total.js', content: 'export const total = Math.max;\n' } }] },
    ],
  ])(
    '%s keeps one reply and one pull request (R4)',
    async (_which, secondTurn) => {
      await using scene = await startScene([mendingTurn, answer, secondTurn, answer]);
      const { issue, comment } = await mention(scene);
      const [first] = scene.github.snapshot().pulls;

      const refs = { issue, comment };
      const second = await scene.run({ event: 'issue_comment', refs, actor: 'wendy' });

      expect(second.exitCode).toBe(0);
      expectOnce(scene, issue);
      expect(scene.github.snapshot().pulls.map(({ number }) => number)).toEqual([first?.number]);
      expect(scene.contractProblems()).toEqual([]);
    },
    timeout,
  );
});

test(
  'a schedule that comes again with another change keeps one branch and one pull request',
  async () => {
    const otherTurn = { calls: [{ name: 'write_file', arguments: { path: 'NOTE.md', content: 'hello\n' } }] };
    await using scene = await startScene([mendingTurn, answer, otherTurn, answer]);
    const run = () =>
      scene.run({ event: 'schedule', refs: { schedule: '17 4 * * 1' }, actor: 'wendy', inputs: { prompt: 'Look around.' } });

    const results = [await run(), await run()];

    expect(results.map(({ outputs }) => outputs.pull_request_number)).toEqual(['1', '1']);
    expect(scene.github.snapshot().pulls).toHaveLength(1);
  },
  timeout,
);
