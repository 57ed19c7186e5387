// Whatever GitHub refuses of what a task is read from: the run starts with what is missing said, or ends with an error that names the answer.
import { describe, expect, test } from '@jest/globals';
import { GitHubApiError } from '../../../src/github/api.ts';
import { loadTask } from '../../../src/github/context/load-task.ts';
import { parseEvent } from '../../../src/github/event/parse-event.ts';
import type { GitHubEvent } from '../../../src/schema/github-event.ts';
import type { Task } from '../../../src/schema/task.ts';
import { planOf, portsOf, type Stage } from '../planned.ts';
import { never, startStage } from '../simulated.ts';

const answers = [0, 403, 404, 406, 410, 422, 429, 500];

/** Of these a run cannot do without: the request is about them, and its trust was decided by them. */
const needed =
  /^GET \/repos\/\{owner\}\/\{repo\}\/(?:issues\/\{issue_number\}(?:\/comments)?|pulls\/\{pull_number\}\/(?:reviews|comments)) 2$|^query Discussion/;
/** What they tell is told by another read: the diff by the files' patches, what is closed by the description. */
const replaced = /diff$|query ClosingIssues/;

/** The port, which answers each read that `refuses` names with an error; and which reads there were. */
function refusing(api: Stage['api'], refuses: (read: string) => number | undefined) {
  const reads = new Set<string>();
  const check = (read: string) => {
    reads.add(read);
    const status = refuses(read);
    if (status === undefined) return;
    const flags = { isRateLimit: status === 429, isMissingPermission: status === 403 };
    throw new GitHubApiError({ status, route: read, answer: 'no', ...flags });
  };
  const nameOf = (route: string, { issue_number, pull_number, username, mediaType }: Record<string, unknown>) =>
    [route, issue_number ?? pull_number ?? username, Object(mediaType).format].filter((part) => part !== undefined).join(' ');
  const port: Stage['api'] = {
    rest: async (route, parameters, signal) => {
      check(nameOf(route, parameters));
      return api.rest(route, parameters, signal);
    },
    async *pages(route, parameters, signal) {
      check(nameOf(route, parameters));
      yield* api.pages(route, parameters, signal);
    },
    graphql: async (query, variables, signal) => {
      check(query.slice(0, query.indexOf('(')));
      return api.graphql(query, variables, signal);
    },
  };
  return { port, reads };
}

async function askOnPull({ hub, mention }: Stage): Promise<GitHubEvent> {
  const issue = hub.openIssue({ author: 'mona', title: 'Slow' });
  const body = `Closes #${issue.number}`;
  const pull = await hub.openPull({ author: 'mona', head: 'feature', title: 'P', body, files: { 'a.ts': '1\n2\n' } });
  await hub.reviewComment({ author: 'mona', pull: pull.number, path: 'a.ts', line: 1, body: 'Name it.' });
  hub.review({ author: 'mona', pull: pull.number, body: 'Hm.', state: 'COMMENTED' });
  const headSha = await hub.git('rev-parse', 'feature');
  const run = { workflowPath: '.github/workflows/ci.yml', event: 'pull_request', headBranch: 'feature', headSha, actor: 'mona' };
  hub.finishRun(hub.startRun(run).id, 'failure', { log: 'not ok 1\n##[error]exit code 1' });
  return mention(pull.number);
}

function askInDiscussion({ hub }: Stage): Promise<GitHubEvent> {
  hub.openIssue({ author: 'mona', title: 'Slow' });
  const { number } = hub.openDiscussion({ author: 'mona', title: 'Ideas', body: 'What of #1?' });
  const { id } = hub.commentDiscussion({ author: 'mona', discussion: number, body: '@harness9 answer' });
  return Promise.resolve(parseEvent('discussion_comment', hub.payload('discussion_comment', { comment: id })));
}

/** Whether texts are missing that nothing is said of. An issue that is not there was named by a number alone. */
function isSilent(all: Task, task: Task, read: string, status: number): boolean {
  const isGoneIssue = read.startsWith('GET /repos/{owner}/{repo}/issues/') && [404, 410].includes(status);
  if (replaced.test(read) || isGoneIssue) return false;
  const [texts, before, now] = [task.items.map(({ text }) => text), notesOf(all), notesOf(task)];
  return all.items.some(({ text }) => !texts.includes(text)) && now.every((words) => before.includes(words));
}

const notesOf = ({ items, omitted }: Task) => [...omitted, ...items.flatMap(({ notes }) => notes)];

describe('a read that GitHub refuses', () => {
  test.each([
    ['a pull request', askOnPull, 15],
    ['a discussion', askInDiscussion, 3],
  ] as const)('of %s is said to be missing, or ends the run with its answer', async (_name, ask, least) => {
    await using stage = await startStage();
    const plan = await planOf(stage, await ask(stage));
    const whole = refusing(stage.api, () => undefined);
    const all = await loadTask(plan, { ...portsOf(stage), api: whole.port }, never);
    expect(whole.reads.size).toBeGreaterThanOrEqual(least);
    for (const [index, read] of [...whole.reads].entries()) {
      // Two for each, in turn: which one it is makes little difference.
      for (const status of answers.filter((_status, at) => (at + index) % 4 === 0)) {
        const { port } = refusing(stage.api, (one) => (one === read ? status : undefined));
        const loaded = loadTask(plan, { ...portsOf(stage), api: port }, never);
        if (needed.test(read)) {
          await expect(loaded).rejects.toThrow(`GitHub answered ${status} to ${read}: no`);
          continue;
        }
        expect([read, status, isSilent(all, await loaded, read, status)]).toEqual([read, status, false]);
      }
    }
  });

  test('is said in words that are true of it', async () => {
    await using stage = await startStage();
    const plan = await planOf(stage, await askOnPull(stage));
    const files = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files 2';
    const omittedAt = async (status: number) => {
      const { port } = refusing(stage.api, (read) => (read === files || read.endsWith(' diff') ? status : undefined));
      return (await loadTask(plan, { ...portsOf(stage), api: port }, never)).omitted;
    };
    const both = (why: string) => [`the list of changed files (${why})`, `the diff (${why})`];
    expect(await omittedAt(0)).toEqual(both('GitHub did not answer'));
    expect(await omittedAt(403)).toEqual(both('the job’s token may not read them'));
    expect(await omittedAt(429)).toEqual(both('GitHub’s rate limit is used up'));
    expect(await omittedAt(500)).toEqual(both('GitHub answered 500'));
  });
});
