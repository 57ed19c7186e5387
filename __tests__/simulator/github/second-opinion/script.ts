// One script of the real client, step by step. What a step gives is what GitHub's documentation promises: no shas, no identifiers.
import type { Octokit } from '@octokit/rest';

export interface Place {
  readonly client: Octokit;
  readonly owner: string;
  readonly repo: string;
}

/** What earlier steps found out. */
type Memory = Map<string, string>;

export interface Step {
  readonly name: string;
  readonly run: (place: Place, memory: Memory) => Promise<unknown>;
}

type Repo = Pick<Place, 'owner' | 'repo'>;

function step(name: string, run: (client: Octokit['rest'], repo: Repo, memory: Memory) => Promise<unknown>): Step {
  return { name, run: ({ client, owner, repo }, memory) => run(client.rest, { owner, repo }, memory) };
}

function remembered(memory: Memory, name: string): string {
  return memory.get(name) ?? `(no ${name})`;
}

const ISSUES: readonly Step[] = [
  step('an issue is opened', async (rest, repo, memory) => {
    const { data, status } = await rest.issues.create({ ...repo, title: 'Rounding', body: 'It is off.', labels: ['bug'] });
    memory.set('issue', String(data.number));
    return [status, data.title, data.body, data.state, data.labels.length, data.comments, data.closed_at];
  }),
  step('it is read', async (rest, repo, memory) => {
    const { data } = await rest.issues.get({ ...repo, issue_number: Number(remembered(memory, 'issue')) });
    return [data.title, data.state, data.locked, data.pull_request === undefined];
  }),
  step('an issue without a title', (rest, repo) => rest.issues.create({ ...repo, title: '' })),
  step('an issue that is not there', (rest, repo) => rest.issues.get({ ...repo, issue_number: 999 })),
  step('a label is made', async (rest, repo) => {
    const { data, status } = await rest.issues.createLabel({ ...repo, name: 'harness9', color: 'ff0000' });
    return [status, data.name, data.color, data.default];
  }),
  step('a label that is there', (rest, repo) => rest.issues.createLabel({ ...repo, name: 'harness9', color: 'ff0000' })),
  step('labels are added', async (rest, repo, memory) => {
    const { data, status } = await rest.issues.addLabels({
      ...repo,
      issue_number: Number(remembered(memory, 'issue')),
      labels: ['harness9'],
    });
    return [status, data.map(({ name }) => name).sort()];
  }),
  step('a label that the repository has not is added', async (rest, repo, memory) => {
    const { data } = await rest.issues.addLabels({
      ...repo,
      issue_number: Number(remembered(memory, 'issue')),
      labels: ['new-one'],
    });
    return data.map(({ name }) => name).sort();
  }),
  step('a label is taken off', async (rest, repo, memory) => {
    const issue = { ...repo, issue_number: Number(remembered(memory, 'issue')) };
    const { data, status } = await rest.issues.removeLabel({ ...issue, name: 'harness9' });
    return [status, data.map(({ name }) => name).sort()];
  }),
  step('a label that is not on is taken off', (rest, repo, memory) =>
    rest.issues.removeLabel({ ...repo, issue_number: Number(remembered(memory, 'issue')), name: 'nothing' }),
  ),
  step('somebody is assigned', async (rest, repo, memory) => {
    const issue = { ...repo, issue_number: Number(remembered(memory, 'issue')) };
    const { data, status } = await rest.issues.addAssignees({ ...issue, assignees: [repo.owner] });
    return [status, data.assignees?.map(({ login }) => login)];
  }),
];

const COMMENTS: readonly Step[] = [
  step('a comment is made', async (rest, repo, memory) => {
    const issue = { ...repo, issue_number: Number(remembered(memory, 'issue')) };
    const { data, status } = await rest.issues.createComment({ ...issue, body: 'one' });
    memory.set('comment', String(data.id));
    return [status, data.body, data.user?.login === repo.owner, data.html_url.endsWith(`#issuecomment-${data.id}`)];
  }),
  step('a comment without a text', (rest, repo, memory) =>
    rest.issues.createComment({ ...repo, issue_number: Number(remembered(memory, 'issue')), body: '' }),
  ),
  step('a comment of 65,537 characters', (rest, repo, memory) =>
    rest.issues.createComment({ ...repo, issue_number: Number(remembered(memory, 'issue')), body: 'x'.repeat(65_537) }),
  ),
  step('a comment is changed', async (rest, repo, memory) => {
    const { data, status } = await rest.issues.updateComment({
      ...repo,
      comment_id: Number(remembered(memory, 'comment')),
      body: 'two',
    });
    return [status, data.body];
  }),
  step('comments are listed, one a page', async (rest, repo, memory) => {
    const issue = { ...repo, issue_number: Number(remembered(memory, 'issue')) };
    await rest.issues.createComment({ ...issue, body: 'three' });
    const { data, headers } = await rest.issues.listComments({ ...issue, per_page: 1 });
    return [data.map(({ body }) => body), /rel="next"/.test(headers.link ?? ''), /rel="last"/.test(headers.link ?? '')];
  }),
  step('a comment is deleted and is gone', async (rest, repo, memory) => {
    const comment = { ...repo, comment_id: Number(remembered(memory, 'comment')) };
    const { status } = await rest.issues.deleteComment(comment);
    return [status, await outcomeOf(() => rest.issues.getComment(comment))];
  }),
  step('the issue is closed', async (rest, repo, memory) => {
    const issue = { ...repo, issue_number: Number(remembered(memory, 'issue')) };
    const { data } = await rest.issues.update({ ...issue, state: 'closed', state_reason: 'not_planned' });
    return [data.state, data.state_reason, data.closed_at !== null, data.closed_by?.login === repo.owner];
  }),
];

const CONTENTS: readonly Step[] = [
  step('a file is written', async (rest, repo, memory) => {
    const content = Buffer.from('export const total = 1;\n').toString('base64');
    const { data, status } = await rest.repos.createOrUpdateFileContents({
      ...repo,
      path: 'src/cart.ts',
      message: 'cart',
      content,
    });
    memory.set('file', data.content?.sha ?? '');
    return [status, data.content?.path, data.commit.message];
  }),
  step('it is read', async (rest, repo) => {
    const { data } = await rest.repos.getContent({ ...repo, path: 'src/cart.ts' });
    return Array.isArray(data) || data.type !== 'file'
      ? data
      : [data.encoding, Buffer.from(data.content, 'base64').toString(), data.size];
  }),
  step('its blob has the sha that git gives it', async (_rest, _repo, memory) => remembered(memory, 'file')),
  step('it is written again without its sha', (rest, repo) =>
    rest.repos.createOrUpdateFileContents({ ...repo, path: 'src/cart.ts', message: 'cart', content: '' }),
  ),
  step('it is written again with another sha', (rest, repo) =>
    rest.repos.createOrUpdateFileContents({ ...repo, path: 'src/cart.ts', message: 'cart', content: '', sha: '0'.repeat(40) }),
  ),
  step('a file that is not there', (rest, repo) => rest.repos.getContent({ ...repo, path: 'none' })),
];

const GIT: readonly Step[] = [
  step('the default branch’s ref', async (rest, repo, memory) => {
    const { data } = await rest.git.getRef({ ...repo, ref: 'heads/main' });
    memory.set('head', data.object.sha);
    const commit = await rest.git.getCommit({ ...repo, commit_sha: data.object.sha });
    memory.set('base', commit.data.tree.sha);
    return [data.ref, data.object.type];
  }),
  step('a blob', async (rest, repo, memory) => {
    const { data, status } = await rest.git.createBlob({ ...repo, content: 'hello\n' });
    memory.set('blob', data.sha);
    return [status, data.sha];
  }),
  step('a tree on top of the head', async (rest, repo, memory) => {
    const tree = [{ path: 'hello.txt', mode: '100644', type: 'blob', sha: remembered(memory, 'blob') } as const];
    const { data, status } = await rest.git.createTree({ ...repo, base_tree: remembered(memory, 'base'), tree });
    memory.set('tree', data.sha);
    return [status, data.tree.map((entry) => [entry.path, entry.mode, entry.type]).sort(), data.truncated];
  }),
  step('a tree on top of a commit’s own sha', async (rest, repo, memory) => {
    const tree = [{ path: 'hello.txt', mode: '100644', type: 'blob', sha: remembered(memory, 'blob') } as const];
    const { data, status } = await rest.git.createTree({ ...repo, base_tree: remembered(memory, 'head'), tree });
    return [status, data.sha === memory.get('tree')];
  }),
  step('a tree with a mode that is none', (rest, repo) =>
    // A mode as a bug would send it; the client's types know none like it.
    rest.git.createTree({ ...repo, tree: [JSON.parse('{"path":"a","mode":"100600","type":"blob","content":"x"}')] }),
  ),
  step('a commit', async (rest, repo, memory) => {
    const parents = [remembered(memory, 'head')];
    const { data, status } = await rest.git.createCommit({
      ...repo,
      message: 'hello',
      tree: remembered(memory, 'tree'),
      parents,
    });
    memory.set('commit', data.sha);
    return [
      status,
      data.message,
      data.tree.sha === memory.get('tree'),
      data.parents.map(({ sha }) => sha === memory.get('head')),
    ];
  }),
  step('a commit of no tree', (rest, repo) =>
    rest.git.createCommit({ ...repo, message: 'x', tree: '0'.repeat(40), parents: [] }),
  ),
  step('a branch', async (rest, repo, memory) => {
    const { data, status } = await rest.git.createRef({ ...repo, ref: 'refs/heads/fix', sha: remembered(memory, 'commit') });
    return [status, data.ref, data.object.sha === memory.get('commit')];
  }),
  step('a branch that is there', (rest, repo, memory) =>
    rest.git.createRef({ ...repo, ref: 'refs/heads/fix', sha: remembered(memory, 'commit') }),
  ),
  step('a ref of no object', (rest, repo) => rest.git.createRef({ ...repo, ref: 'refs/heads/none', sha: '0'.repeat(40) })),
  step('a ref outside of refs/', (rest, repo, memory) =>
    rest.git.createRef({ ...repo, ref: 'fix', sha: remembered(memory, 'commit') }),
  ),
  step('a move that is no fast forward', (rest, repo, memory) =>
    rest.git.updateRef({ ...repo, ref: 'heads/fix', sha: remembered(memory, 'head') }),
  ),
  step('a ref that is not there', (rest, repo) => rest.git.getRef({ ...repo, ref: 'heads/nothing' })),
  step('the commit in the history', async (rest, repo, memory) => {
    const { data } = await rest.repos.getCommit({ ...repo, ref: remembered(memory, 'commit') });
    return [data.commit.message, data.files?.map(({ filename, status }) => [filename, status]), data.stats?.additions];
  }),
  step('the comparison', async (rest, repo) => {
    const { data } = await rest.repos.compareCommitsWithBasehead({ ...repo, basehead: 'main...fix' });
    return [data.status, data.ahead_by, data.behind_by, data.files?.map(({ filename }) => filename)];
  }),
];

const PULLS: readonly Step[] = [
  step('a pull request', async (rest, repo, memory) => {
    const { data, status } = await rest.pulls.create({
      ...repo,
      title: 'Hello',
      head: 'fix',
      base: 'main',
      body: 'x',
      draft: true,
    });
    memory.set('pull', String(data.number));
    return [status, data.state, data.draft, data.head.ref, data.base.ref, data.merged, data.changed_files, data.commits];
  }),
  step('a second one of the same branches', (rest, repo) =>
    rest.pulls.create({ ...repo, title: 'Hello', head: 'fix', base: 'main' }),
  ),
  step('one of a branch that is not there', (rest, repo) =>
    rest.pulls.create({ ...repo, title: 'Hello', head: 'none', base: 'main' }),
  ),
  step('one without a commit', async (rest, repo, memory) => {
    await rest.git.createRef({ ...repo, ref: 'refs/heads/same', sha: remembered(memory, 'head') });
    return rest.pulls.create({ ...repo, title: 'Hello', head: 'same', base: 'main' });
  }),
  step('it is listed by its head', async (rest, repo) => {
    const { data } = await rest.pulls.list({ ...repo, head: `${repo.owner}:fix` });
    return data.map(({ title }) => title);
  }),
  step('its files and commits', async (rest, repo, memory) => {
    const pull = { ...repo, pull_number: Number(remembered(memory, 'pull')) };
    const [files, commits] = await Promise.all([rest.pulls.listFiles(pull), rest.pulls.listCommits(pull)]);
    return [
      files.data.map(({ filename, status, additions }) => [filename, status, additions]),
      commits.data.map(({ commit }) => commit.message),
    ];
  }),
  step('it is an issue, too', async (rest, repo, memory) => {
    const { data } = await rest.issues.get({ ...repo, issue_number: Number(remembered(memory, 'pull')) });
    return [data.title, data.pull_request !== undefined];
  }),
  step('its author approves it', (rest, repo, memory) =>
    rest.pulls.createReview({ ...repo, pull_number: Number(remembered(memory, 'pull')), event: 'APPROVE' }),
  ),
  step('a review with a comment on a line of the diff', async (rest, repo, memory) => {
    const pull = { ...repo, pull_number: Number(remembered(memory, 'pull')) };
    const comments = [{ path: 'hello.txt', line: 1, body: 'why' }];
    const { data, status } = await rest.pulls.createReview({ ...pull, event: 'COMMENT', body: 'x', comments });
    return [
      status,
      data.state,
      (await rest.pulls.listReviewComments(pull)).data.map(({ path, line, body }) => [path, line, body]),
    ];
  }),
  step('a review with a comment on a line outside of it', (rest, repo, memory) =>
    rest.pulls.createReview({
      ...repo,
      pull_number: Number(remembered(memory, 'pull')),
      event: 'COMMENT',
      body: 'x',
      comments: [{ path: 'hello.txt', line: 99, body: 'why' }],
    }),
  ),
  step('its author is asked for a review', (rest, repo, memory) =>
    rest.pulls.requestReviewers({ ...repo, pull_number: Number(remembered(memory, 'pull')), reviewers: [repo.owner] }),
  ),
  step('it is closed', async (rest, repo, memory) => {
    const { data } = await rest.pulls.update({ ...repo, pull_number: Number(remembered(memory, 'pull')), state: 'closed' });
    return [data.state, data.merged];
  }),
  step('its branch is deleted', async (rest, repo) => {
    const { status } = await rest.git.deleteRef({ ...repo, ref: 'heads/fix' });
    return [status, await outcomeOf(() => rest.git.deleteRef({ ...repo, ref: 'heads/fix' }))];
  }),
];

export const SCRIPT: readonly Step[] = [
  ...ISSUES,
  ...COMMENTS.map(({ name, run }) => ({ name: `conversation: ${name}`, run })),
  ...CONTENTS.map(({ name, run }) => ({ name: `contents: ${name}`, run })),
  ...GIT.map(({ name, run }) => ({ name: `git: ${name}`, run })),
  ...PULLS.map(({ name, run }) => ({ name: `pulls: ${name}`, run })),
];

/** What an act gives, or the status that it was refused with. */
async function outcomeOf(act: () => Promise<unknown>): Promise<unknown> {
  try {
    const given = await act();
    // A whole answer where a refusal was expected: its status says enough.
    return typeof given === 'object' && given !== null && 'status' in given ? `answered ${given.status}` : given;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'status' in error) return `refused ${error.status}`;
    throw error;
  }
}

/** Plays the script and gives each step's outcome. */
export async function play(place: Place): Promise<Readonly<Record<string, unknown>>> {
  const memory: Memory = new Map();
  const outcomes: Record<string, unknown> = {};
  for (const { name, run } of SCRIPT) outcomes[name] = await outcomeOf(() => run(place, memory));
  return outcomes;
}
