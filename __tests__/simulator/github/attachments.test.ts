import { describe, expect, test } from '@jest/globals';
import { clientFor, clientWith, createClock, withGitHub } from './world.ts';

const content = new Uint8Array([137, 80, 78, 71]);
const full = { mediaType: { format: 'full+json' } };

const bytesAt = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url.replace('//github.localhost:', '//127.0.0.1:'), { redirect: 'manual', ...init });
  return [response.status, [...new Uint8Array(await response.arrayBuffer())].slice(0, 4)];
};
const sourcesOf = (html: string | undefined) =>
  Array.from((html ?? '').matchAll(/<img src="([^"]*)"/g), ([, source = '']) => source.replaceAll('&amp;', '&'));

describe('attachments', () => {
  test('the address in a text opens nothing in a private repository; the signed one does, without a token and for five minutes', async () => {
    const clock = createClock();
    await withGitHub({ private: true, now: clock.now }, async (github) => {
      const { url, signedUrl } = github.attach({ author: 'bob', name: 'a.png', content });
      const token = github.issueToken('bob');
      expect(await bytesAt(url)).toEqual([404, expect.anything()]);
      expect((await bytesAt(url, { headers: { authorization: `Bearer ${token}` } }))[0]).toBe(404);
      expect(await bytesAt(signedUrl)).toEqual([200, [...content]]);
      expect((await bytesAt(signedUrl, { headers: { authorization: `Bearer ${token}` } }))[0]).toBe(400);
      expect((await bytesAt(signedUrl.replace(/.$/, (last) => (last === '0' ? '1' : '0'))))[0]).toBe(404);
      clock.advance(301);
      expect((await bytesAt(signedUrl))[0]).toBe(404);
    });
  });

  test('in a public repository the address in a text leads to the signed one', () =>
    withGitHub({}, async (github) => {
      const { url } = github.attach({ author: 'bob', name: 'a.png', content });
      expect((await bytesAt(url))[0]).toBe(302);
    }));

  test('texts come as HTML with signed addresses, where that is asked for, on every route that has texts', () =>
    withGitHub({ private: true }, async (github, repo) => {
      const { url } = github.attach({ author: 'bob', name: 'a.png', content });
      const body = `See ![a & b](${url}) and \`![x](${url})\``;
      const issue = github.openIssue({ author: 'bob', title: 'T', body });
      const comment = github.comment({ author: 'bob', issue: issue.number, body });
      const pull = await github.openPull({ author: 'bob', head: 'f', title: 'P', files: { 'src/a.ts': '1\n' } });
      const review = github.review({ author: 'bob', pull: pull.number, body, state: 'COMMENTED' });
      const note = await github.reviewComment({ author: 'bob', pull: pull.number, body, path: 'src/a.ts', line: 1 });
      const { rest } = clientFor(github);
      const pulled = { ...repo, pull_number: pull.number };
      const one = { ...repo, issue_number: issue.number };
      const answers = [
        (await rest.issues.get({ ...one, ...full })).data,
        (await rest.issues.getComment({ ...repo, comment_id: comment.id, ...full })).data,
        (await rest.issues.listComments({ ...one, ...full })).data[0],
        (await rest.pulls.getReview({ ...pulled, review_id: review.id, ...full })).data,
        (await rest.pulls.listReviews({ ...pulled, ...full })).data[0],
        (await rest.pulls.getReviewComment({ ...repo, comment_id: note.id, ...full })).data,
        (await rest.pulls.listReviewComments({ ...pulled, ...full })).data[0],
      ];
      for (const answer of answers) {
        const [source = '', ...others] = sourcesOf(answer?.body_html);
        expect([others, await bytesAt(source)]).toEqual([[], [200, [...content]]]);
      }
      expect('body_html' in (await rest.issues.get(one)).data).toBe(false);
      await expect(clientWith(github).rest.issues.get({ ...one, ...full })).rejects.toThrow(/Not Found/);
    }));

  test('a foreign picture is shown through GitHub, and what nobody uploaded is signed for nobody', () =>
    withGitHub({}, async (github, repo) => {
      const missing = `${github.serverUrl}/user-attachments/assets/00000000-0000-4000-a000-000000000000`;
      const body = `<img width="3" src="https://evil.example/a.png"> ![](${missing}) ![](https://user-images.githubusercontent.com/1/a.png)`;
      const issue = github.openIssue({ author: 'bob', title: 'T', body });
      const { data } = await clientFor(github).rest.issues.get({ ...repo, issue_number: issue.number, ...full });
      expect(sourcesOf(data.body_html).map((source) => new URL(source).host)).toEqual([
        'camo.githubusercontent.com',
        'camo.githubusercontent.com',
        'user-images.githubusercontent.com',
      ]);
    }));
});
