// Whether nobody but us pushed to a branch of ours, by the repository's list of pushes, the newest first.
import { expect, test } from '@jest/globals';
import { type GitHubApi, GitHubApiError } from '../../src/github/api.ts';
import { type ListedPull, toOwnPull } from '../../src/github/own-pull.ts';

const never = new AbortController().signal;
const self = { login: 'github-actions[bot]', id: 1 };
const sha = 'a'.repeat(40);
const parts = { number: 7, user: { id: 1 }, body: '', draft: true, head: { ref: 'x', sha }, base: { ref: 'main', sha: 'b' } };
// What is read of a listed pull request, and no more.
const pull = parts as unknown as ListedPull;

type Push = readonly [by: 'us' | 'mona' | 'ghost', type: 'branch_creation' | 'branch_deletion' | 'push' | 'force_push'];

async function isOursAlone(pushes: readonly Push[] | 'refused', newest = sha): Promise<boolean> {
  const ids = { us: { id: 1 }, mona: { id: 2 }, ghost: null };
  const data = [...(pushes === 'refused' ? [] : pushes)].map(([by, activity_type], at) => ({
    activity_type,
    actor: ids[by],
    after: at === 0 ? newest : 'c'.repeat(40),
  }));
  const refusal = { status: 404, route: 'GET', answer: 'Not Found', isRateLimit: false, isMissingPermission: false };
  const rest = async () => {
    if (pushes === 'refused') throw new GitHubApiError(refusal);
    return { data };
  };
  const api = { rest } as unknown as GitHubApi;
  const place = { api, repository: { owner: 'acme', repo: 'shop' } };
  return (await toOwnPull({ pull, trust: 'trusted', self }, place, never)).isOursAlone;
}

const made: Push = ['us', 'branch_creation'];
const many: readonly Push[] = Array.from({ length: 99 }, () => ['us', 'push'] as const);
test.each<readonly [string, readonly Push[] | 'refused', boolean]>([
  ['made by us', [made], true],
  ['made and pushed to by us', [['us', 'push'], made], true],
  [
    'made by a person and pushed to by us',
    [
      ['us', 'push'],
      ['mona', 'branch_creation'],
    ],
    false,
  ],
  ['made by us and pushed to by a person', [['mona', 'push'], made], false],
  ['pushed to by an account that is gone', [['ghost', 'push'], made], false],
  ['a person’s push below ours', [['us', 'push'], ['mona', 'force_push'], made], false],
  ['made anew by us after a person took it away', [made, ['mona', 'branch_deletion'], ['mona', 'push'], made], true],
  [
    'made anew by a person after we took it away',
    [['us', 'push'], ['mona', 'branch_creation'], ['us', 'branch_deletion'], made],
    false,
  ],
  ['taken away by a person and not made again, as far as is known', [['mona', 'branch_deletion'], made], false],
  ['whose birth nobody lists', [['us', 'push']], true],
  ['with more pushes than one answer has', [['us', 'push'], ...many], false],
  ['with as many as one answer has, its birth among them', [...many, made], true],
  ['of which no list is to be had', 'refused', false],
  ['with an empty list', [], false],
])('a branch %s', async (_what, pushes, isOurs) => {
  expect(await isOursAlone(pushes)).toBe(isOurs);
});

test('a branch whose newest push is not its head was pushed to by somebody else', async () => {
  expect(await isOursAlone([made], 'd'.repeat(40))).toBe(false);
});
