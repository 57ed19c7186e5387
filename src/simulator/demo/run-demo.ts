/** The demo: a mention on an issue becomes a pull request, by the built action, on a GitHub that is simulated and a model that is scripted. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SimulatedGitHub } from '../github/contract.ts';
import { startGitHub } from '../github/simulated-github.ts';
import { startModel } from '../model/scripted-model.ts';
import { checkoutRepository } from '../runner/checkout-repository.ts';
import type { ActionResult } from '../runner/contract.ts';
import { runAction } from '../runner/run-action.ts';
import { COMMENT, ISSUE, SCRIPT, SHOP_FILES, TEST_FILE, WORKFLOW_PATH } from './example-shop.ts';
import type { Page } from './page.ts';
import { BOT, watchComments } from './watch-comments.ts';

/** Which model answers: the scripted one, or a real one with its key. */
export type DemoModel =
  | { readonly kind: 'scripted' }
  | { readonly kind: 'real'; readonly provider: 'openai' | 'anthropic'; readonly apiKey: string };

export interface DemoOptions {
  readonly actionDir: string;
  readonly model: DemoModel;
  readonly page: Page;
}

// A scripted run takes seconds; one that hangs should be seen to.
const SCRIPTED_TIMEOUT_MS = 25_000;
const REAL_TIMEOUT_MS = 10 * 60_000;

/** Runs the demo and prints it. Resolves with whether everything that it claims happened. */
export async function runDemo(options: DemoOptions): Promise<boolean> {
  const folder = await mkdtemp(path.join(tmpdir(), 'harness9-demo-'));
  const github = await startGitHub({ owner: 'octo-org', repo: 'shop', files: SHOP_FILES });
  const model = options.model.kind === 'scripted' ? await startModel(SCRIPT) : null;
  try {
    const inputs = inputsFor(options.model, model?.openaiUrl ?? '');
    return await tellStory({ ...options, folder, github, inputs });
  } finally {
    await Promise.all([github.close(), model?.close(), rm(folder, { recursive: true, force: true })]);
  }
}

interface Story extends DemoOptions {
  readonly folder: string;
  readonly github: SimulatedGitHub;
  readonly inputs: Readonly<Record<string, string>>;
}

function inputsFor(model: DemoModel, baseUrl: string): Readonly<Record<string, string>> {
  if (model.kind === 'real') return { provider: model.provider, api_key: model.apiKey };
  return { provider: 'openai', model: 'scripted', api_key: 'demo-key-of-nobody', base_url: baseUrl };
}

async function tellStory(story: Story): Promise<boolean> {
  const { github, page } = story;
  const workspace = path.join(story.folder, 'workspace');
  for (const login of [ISSUE.author, COMMENT.author]) github.addUser(login, { permission: 'write' });
  const issue = github.openIssue(ISSUE);
  const comment = github.comment({ ...COMMENT, issue: issue.number });
  const token = github.issueToken(BOT);
  await checkout(story, { token, ref: 'refs/heads/main', dir: workspace });
  const before = { test: await runTest(workspace), main: await github.git('rev-parse', 'refs/heads/main') };

  page.heading(`octo-org/shop · issue #${issue.number} · ${ISSUE.title}`);
  page.post(`${ISSUE.author} opened this issue`, ISSUE.body);
  page.post(`${COMMENT.author} commented`, COMMENT.body);

  const watch = watchComments(github, issue.number);
  const result = await runOnComment(story, { workspace, token, issue: issue.number, comment: comment.id });
  const texts = watch.stop();
  printThread(story, { issue: issue.number, texts });
  const pull = await printPull(story);
  const after = pull === null ? null : await testBranch(story, { token, branch: pull });

  page.heading('What happened');
  const claims = claimsOf(story, { result, before, after, issue: issue.number, texts });
  for (const [claim, holds] of claims) page.claim(claim, holds);
  const isGood = claims.every(([, holds]) => holds);
  if (!isGood) printLog(page, result);
  return isGood;
}

async function runOnComment(
  { github, actionDir, inputs, model }: Story,
  run: { readonly workspace: string; readonly token: string; readonly issue: number; readonly comment: number },
): Promise<ActionResult> {
  const sha = await github.git('rev-parse', 'refs/heads/main');
  const event = { name: 'issue_comment', payload: github.payload('issue_comment', { issue: run.issue, comment: run.comment }) };
  const started = github.startRun({
    workflowPath: WORKFLOW_PATH,
    event: event.name,
    headBranch: 'main',
    headSha: sha,
    actor: COMMENT.author,
  });
  const result = await runAction({
    actionDir,
    github: { ...addressesOf(github), token: run.token, runtimeToken: github.runtimeToken(started.id) },
    event,
    inputs,
    workspace: run.workspace,
    runId: started.id,
    runNumber: started.number,
    actor: COMMENT.author,
    ref: 'refs/heads/main',
    sha,
    workflowPath: WORKFLOW_PATH,
    job: 'answer',
    cancel: AbortSignal.timeout(model.kind === 'real' ? REAL_TIMEOUT_MS : SCRIPTED_TIMEOUT_MS),
  });
  github.finishRun(started.id, result.conclusion);
  return result;
}

function addressesOf(github: SimulatedGitHub) {
  const { apiUrl, graphqlUrl, serverUrl, resultsUrl, owner, repo, repositoryId } = github;
  return { apiUrl, graphqlUrl, serverUrl, resultsUrl, owner, repo, repositoryId };
}

function printThread(
  { github, page }: Story,
  { issue, texts }: { readonly issue: number; readonly texts: readonly string[] },
): void {
  const standing = commentsOf(github, issue);
  const progress = texts.filter((text) => !standing.includes(text));
  for (const [index, text] of progress.entries()) page.post(`${BOT} ${index === 0 ? 'commented' : 'edited its comment'}`, text);
  for (const text of standing) page.post(`${BOT} answered`, text);
}

/** The bot's comments as they stand. */
function commentsOf(github: SimulatedGitHub, issue: number): readonly string[] {
  return github
    .snapshot()
    .comments.filter((comment) => comment.issue === issue && comment.author === BOT)
    .map(({ body }) => body);
}

/** Prints the pull request and gives its branch; null when there is none. */
async function printPull({ github, page }: Story): Promise<string | null> {
  const pull = github.snapshot().pulls[0];
  if (pull === undefined) return null;
  page.heading(`octo-org/shop · ${pull.draft ? 'draft ' : ''}pull request #${pull.number} · ${pull.title}`);
  page.line(`${pull.author} wants to merge ${pull.head} into ${pull.base}`);
  page.post(pull.author, pull.body ?? '');
  page.diff(await github.git('diff', `refs/heads/${pull.base}...refs/heads/${pull.head}`));
  return pull.head;
}

async function testBranch(
  story: Story,
  { token, branch }: { readonly token: string; readonly branch: string },
): Promise<TestRun> {
  const dir = path.join(story.folder, 'clone');
  await checkout(story, { token, ref: `refs/heads/${branch}`, dir });
  return runTest(dir);
}

async function checkout(
  { github }: Story,
  to: { readonly token: string; readonly ref: string; readonly dir: string },
): Promise<void> {
  const { serverUrl, owner, repo } = github;
  await checkoutRepository({ serverUrl, owner, repo, ...to });
}

interface TestRun {
  readonly passes: boolean;
  readonly passed: number;
  readonly failed: number;
}

/** Runs the shop's test file with this Node and counts. */
function runTest(dir: string): Promise<TestRun> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--test', '--test-reporter=tap', TEST_FILE], { cwd: dir, env: {} }, (error, stdout) => {
      const count = (name: string): number => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(stdout)?.[1] ?? 0);
      resolve({ passes: error === null, passed: count('pass'), failed: count('fail') });
    });
  });
}

function claimsOf(
  { github }: Story,
  found: {
    readonly result: ActionResult;
    readonly before: { readonly test: TestRun; readonly main: string };
    readonly after: TestRun | null;
    readonly issue: number;
    readonly texts: readonly string[];
  },
): readonly (readonly [string, boolean])[] {
  const { result, before, after } = found;
  const { pulls, refs, artifacts } = github.snapshot();
  const answers = commentsOf(github, found.issue);
  const isSaid = pulls.every(({ number }) => answers.some((text) => text.includes(`#${number}`)));
  return [
    [
      `the test failed on main (${before.test.passed} passed, ${before.test.failed} failed)`,
      !before.test.passes && before.test.failed > 0,
    ],
    [
      `the action ended with ${result.outputs.conclusion ?? 'no conclusion'} in ${(result.durationMs / 1000).toFixed(1)} s`,
      result.conclusion === 'success' && result.outputs.conclusion === 'success',
    ],
    ['a progress comment was there while it ran', found.texts.length > 1],
    ['exactly one answer stands on the issue, and it names the pull request', answers.length === 1 && pulls.length > 0 && isSaid],
    ['exactly one pull request is open', pulls.length === 1 && pulls[0]?.state === 'open'],
    [
      `the test passes on the pull request's branch (${after?.passed ?? 0} passed, ${after?.failed ?? 0} failed)`,
      after?.passes === true && after.passed > before.test.passed,
    ],
    ['the session is kept for the next comment', artifacts.some(({ name }) => name === `harness9-session-issue-${found.issue}`)],
    ['main is as it was', refs['refs/heads/main'] === before.main],
    ['no process was left behind', result.orphans === 0],
  ];
}

// The end of a log says why.
const LOG_LINES = 60;

function printLog(page: Page, result: ActionResult): void {
  page.heading('The log of the action');
  for (const line of [...result.log.split('\n').slice(-LOG_LINES), ...result.problems]) page.line(`  ${line}`);
}
