import { describe, expect, test } from '@jest/globals';
import { clientFor, withGitHub } from '../world.ts';

const LINES = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
const BEFORE = { 'src/long.ts': `${LINES.join('\n')}\n` };
// Two hunks: lines 7 to 13 and 47 to 53 are shown.
const AFTER = {
  'src/long.ts': `${LINES.map((line, index) => (index === 9 || index === 49 ? `${line} changed` : line)).join('\n')}\n`,
};

interface Place {
  readonly path?: string;
  readonly line: number;
  readonly start_line?: number;
  readonly side?: 'LEFT' | 'RIGHT';
}

type Row = readonly [what: string, place: Place, fields: readonly string[], sentence: string];

const BLANK = "Pull request review thread diff hunk can't be blank";

describe('a comment on a pull request is refused', () => {
  test.each<Row>([
    [
      'on a line outside of the diff',
      { line: 30 },
      ['line', 'diff_hunk'],
      `Pull request review thread line must be part of the diff and ${BLANK}`,
    ],
    [
      'on a line that only the old side has',
      { line: 61 },
      ['line', 'diff_hunk'],
      `Pull request review thread line must be part of the diff and ${BLANK}`,
    ],
    [
      'in a file that is not changed',
      { path: 'README.md', line: 1 },
      ['path', 'diff_hunk'],
      `Pull request review thread path is invalid and ${BLANK}`,
    ],
    [
      'from one hunk to another',
      { start_line: 10, line: 50 },
      ['start_line', 'diff_hunk'],
      `Pull request review thread start line must be part of the same hunk as the line. and ${BLANK}`,
    ],
    [
      'from a line outside to a line outside',
      { start_line: 29, line: 30 },
      ['line', 'start_line', 'diff_hunk'],
      `Pull request review thread line must be part of the diff, Pull request review thread start line must be part of the same hunk as the line., and ${BLANK}`,
    ],
    [
      'from a line to one before it',
      { start_line: 11, line: 10 },
      ['start_line', 'diff_hunk'],
      `Pull request review thread start line must precede the end line. and ${BLANK}`,
    ],
  ])('%s, with the names of the fields; a review with it is not written at all', (_what, place, fields, sentence) =>
    withGitHub({ files: { ...BEFORE, 'README.md': 'x' } }, async (github, repo) => {
      await github.openPull({ author: 'bob', head: 'fix', title: 'x', files: AFTER });
      const commit_id = github.snapshot().pulls[0]?.headSha ?? '';
      const { rest } = clientFor(github);
      const pull = { ...repo, pull_number: 1 };
      const comment = { path: 'src/long.ts', body: 'x', ...place };
      const errors = fields.map((field) => expect.objectContaining({ field: `pull_request_review_thread.${field}` }));
      await expect(rest.pulls.createReviewComment({ ...pull, commit_id, ...comment })).rejects.toMatchObject({
        status: 422,
        response: { data: { message: 'Validation Failed', errors } },
      });
      const good = { path: 'src/long.ts', line: 10, body: 'good' };
      await expect(
        rest.pulls.createReview({ ...pull, event: 'COMMENT', body: 'x', comments: [good, comment] }),
      ).rejects.toMatchObject({
        status: 422,
        response: { data: { message: 'Unprocessable Entity', errors: [sentence] } },
      });
      expect([github.snapshot().reviews, github.snapshot().reviewComments]).toEqual([[], []]);
    }),
  );

  test('nowhere else: changed lines, those around them, several of a hunk, and the old side', () =>
    withGitHub({ files: BEFORE }, async (github, repo) => {
      await github.openPull({ author: 'bob', head: 'fix', title: 'x', files: AFTER });
      const places: readonly Place[] = [
        { line: 10 },
        { line: 7 },
        { line: 13 },
        { start_line: 8, line: 12 },
        { line: 10, side: 'LEFT' },
      ];
      const comments = places.map((place) => ({ path: 'src/long.ts', body: 'x', ...place }));
      await clientFor(github).rest.pulls.createReview({ ...repo, pull_number: 1, event: 'COMMENT', body: 'x', comments });
      expect(github.snapshot().reviewComments.map(({ line }) => line)).toEqual([10, 7, 13, 12, 10]);
    }));

  test('not in a thread that is there, be its line changed since', () =>
    withGitHub({ files: BEFORE }, async (github, repo) => {
      await github.openPull({ author: 'bob', head: 'fix', title: 'x', files: AFTER });
      const { id } = await github.reviewComment({ author: 'bob', pull: 1, path: 'src/long.ts', line: 10, body: 'x' });
      await github.pushCommit({ branch: 'fix', files: BEFORE, message: 'back' });
      const answer = { ...repo, pull_number: 1, comment_id: id, body: 'done' };
      const { data } = await clientFor(github).rest.pulls.createReplyForReviewComment(answer);
      expect([data.in_reply_to_id, data.line, data.original_line]).toEqual([id, null, 10]);
    }));
});
