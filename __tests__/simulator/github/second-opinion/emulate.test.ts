// The same script of the real client against the simulated GitHub and against `emulate`, another one that we did not write.

import { beforeAll, describe, expect, test } from '@jest/globals';
import { Octokit } from '@octokit/rest';
import { createEmulator } from 'emulate';
import { clientFor, withGitHub } from '../world.ts';
import { play, SCRIPT } from './script.ts';

const OWNER = 'octo-org';
const REPO = 'shop';
const TOKEN = 'second_opinion';

interface Difference {
  readonly ours: unknown;
  readonly theirs: unknown;
  /** What GitHub's documentation says, by which `right` was decided. */
  readonly documented: string;
  readonly right: 'simulator' | 'emulate';
}

/** Where the two disagree. A step that is not here agrees; one that is here and agrees by now fails the test, too. */
const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'somebody is assigned': {
    ours: [201, [OWNER]],
    theirs: [200, [OWNER]],
    documented: '"Add assignees to an issue" has the one answer 201 Created.',
    right: 'simulator',
  },
  'conversation: a comment of 65,537 characters': {
    ours: 'refused 422',
    theirs: 'answered 201',
    documented:
      '422 Validation failed is among the answers of "Create an issue comment"; the length is in the texts that people report.',
    right: 'simulator',
  },
  'git: a tree on top of a commit’s own sha': {
    ours: [201, true],
    theirs: 'refused 422',
    documented:
      '`base_tree` is "the SHA1 of an existing Git tree object". That GitHub takes a commit for its tree is reported, not documented.',
    right: 'emulate',
  },
  'pulls: a pull request': {
    ours: [201, 'open', true, 'fix', 'main', false, 1, 1],
    theirs: [201, 'open', true, 'fix', 'main', false, 0, 2],
    documented: '`changed_files` and `commits` count what the head has and the base has not: here one file in one commit.',
    right: 'simulator',
  },
  'pulls: a second one of the same branches': {
    ours: 'refused 422',
    theirs: 'answered 201',
    documented:
      '"Create a pull request" answers 422 Validation failed; the reported text is "A pull request already exists for …".',
    right: 'simulator',
  },
  'pulls: one of a branch that is not there': {
    ours: 'refused 422',
    theirs: 'answered 201',
    documented: '`head` is "the name of the branch where your changes are implemented"; 422 with the field `head` is reported.',
    right: 'simulator',
  },
  'pulls: one without a commit': {
    ours: 'refused 422',
    theirs: 'answered 201',
    documented: '422 Validation failed; the reported text is "No commits between main and …".',
    right: 'simulator',
  },
  'pulls: it is listed by its head': {
    ours: ['Hello'],
    theirs: ['Hello', 'Hello'],
    documented: 'Follows from the second pull request, which GitHub would have refused.',
    right: 'simulator',
  },
  'pulls: its files and commits': {
    ours: [[['hello.txt', 'added', 1]], ['hello']],
    theirs: [[], ['cart', 'hello']],
    documented: '"List pull requests files" lists what the head changes, "List commits" what the base has not.',
    right: 'simulator',
  },
  'pulls: it is an issue, too': {
    ours: ['Hello', true],
    theirs: 'refused 404',
    documented: '"GitHub’s REST API considers every pull request an issue"; such an issue has the key `pull_request`.',
    right: 'simulator',
  },
  'pulls: its author approves it': {
    ours: 'refused 422',
    theirs: 'answered 201',
    documented:
      'Authors cannot approve their own pull requests; the reported text is "Can not approve your own pull request", with 422.',
    right: 'simulator',
  },
  'pulls: a review with a comment on a line of the diff': {
    ours: [200, 'COMMENTED', [['hello.txt', 1, 'why']]],
    theirs: 'refused 422',
    documented:
      '"Create a review" answers 200, and its `comments` take `line`. To emulate the file is not in the diff (see above).',
    right: 'simulator',
  },
  'pulls: its author is asked for a review': {
    ours: 'refused 422',
    theirs: 'answered 200',
    documented: '"Request reviewers" answers 201, or 422 "if user is not a collaborator"; for the author 422 is reported.',
    right: 'simulator',
  },
  'pulls: its branch is deleted': {
    ours: [204, 'refused 422'],
    theirs: [204, 'refused 404'],
    documented: '"Delete a reference" has 204, 409 and 422 as its answers; the reported text is "Reference does not exist".',
    right: 'simulator',
  },
};

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

async function playAtEmulate() {
  const emulator = await createEmulator({
    service: 'github',
    port: 0,
    seed: {
      tokens: { [TOKEN]: { login: OWNER, scopes: ['repo', 'user'] } },
      github: { users: [{ login: OWNER }], repos: [{ owner: OWNER, name: REPO, auto_init: true }] },
    },
  });
  try {
    return await play({ client: new Octokit({ baseUrl: emulator.url, auth: TOKEN, log: QUIET }), owner: OWNER, repo: REPO });
  } finally {
    await emulator.close();
  }
}

async function playHere() {
  let outcomes: Readonly<Record<string, unknown>> = {};
  await withGitHub({ owner: OWNER, repo: REPO, files: { 'README.md': '# shop\n' } }, async (github) => {
    outcomes = await play({ client: clientFor(github, OWNER), owner: OWNER, repo: REPO });
  });
  return outcomes;
}

describe('the simulated GitHub and emulate', () => {
  let ours: Readonly<Record<string, unknown>> = {};
  let theirs: Readonly<Record<string, unknown>> = {};

  beforeAll(async () => {
    [ours, theirs] = [await playHere(), await playAtEmulate()];
  });

  test.each(SCRIPT.map(({ name }) => name))('%s', (name) => {
    const difference = DIFFERENCES[name];
    if (difference === undefined) expect(ours[name]).toEqual(theirs[name]);
    else expect([ours[name], theirs[name]]).toEqual([difference.ours, difference.theirs]);
    expect(ours[name]).toBeDefined();
  });

  test('each written difference is one, of a step that there is', () => {
    const names = new Set(SCRIPT.map(({ name }) => name));
    const stale = Object.entries(DIFFERENCES).filter(
      ([name, { ours: here, theirs: there }]) => !names.has(name) || JSON.stringify(here) === JSON.stringify(there),
    );
    expect(stale).toEqual([]);
  });
});
