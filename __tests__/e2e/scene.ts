// A scene for the built Action: a simulated GitHub, a scripted model, a runner, and what came of it. Knows dist and the simulator, no src of the product.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { GitHubOptions, SimulatedGitHub } from '../../src/simulator/github/contract.ts';
import type { PayloadRefs } from '../../src/simulator/github/payloads.ts';
import { startGitHub } from '../../src/simulator/github/simulated-github.ts';
import { type ScriptedModel, startModel } from '../../src/simulator/model/scripted-model.ts';
import type { ScriptStep } from '../../src/simulator/model/scripted-turn.ts';
import { checkoutRepository } from '../../src/simulator/runner/checkout-repository.ts';
import type { ActionResult, RunActionOptions } from '../../src/simulator/runner/contract.ts';
import { runAction } from '../../src/simulator/runner/run-action.ts';
import { checkExchange } from '../contracts/openapi.ts';
import { realPayload } from './real-payload.ts';

const actionDir = path.join(import.meta.dirname, '..', '..');
const bot = 'github-actions[bot]';

/** A small shop whose total is wrong, with the test that shows it. */
export const shopFiles = {
  'package.json': '{ "name": "shop", "type": "module" }\n',
  'src/total.js': 'export function total(prices) {\n  return prices.reduce((sum, price) => sum - price, 0);\n}\n',
  'test/total.test.js':
    "import assert from 'node:assert/strict';\nimport test from 'node:test';\nimport { total } from '../src/total.js';\n\ntest('adds prices', () => assert.equal(total([1, 2]), 3));\n",
  'AGENTS.md': 'Run `node --test` before you say that you are done.\n',
};

/** The edit that mends the shop, as a turn of the model. */
export const mendingTurn = {
  text: 'The sum subtracts.',
  calls: [{ name: 'edit_file', arguments: { path: 'src/total.js', old_string: 'sum - price', new_string: 'sum + price' } }],
};

export interface RunWish {
  readonly event: string;
  readonly refs?: PayloadRefs;
  /** Instead of what the simulated GitHub would send. */
  readonly payload?: unknown;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly actor: string;
  readonly options?: Partial<RunActionOptions>;
  /** Other names for the simulated GitHub: its API, its GraphQL, people's pages and git. */
  readonly apiUrl?: string;
  readonly graphqlUrl?: string;
  readonly serverUrl?: string;
  /** Permissions of the job's token; default those of INTERFACE.md. */
  readonly permissions?: Readonly<Record<string, 'read' | 'write'>>;
  readonly persistCredentials?: boolean;
  readonly workflowPath?: string;
  readonly job?: string;
  /** Only the wish's inputs: none of ours for the model. */
  readonly onlyInputs?: boolean;
  /** Of actions/checkout: where in the workspace. */
  readonly checkoutPath?: string;
  /** Called before the checkout, with what only this job knows; what it returns is the event's. */
  readonly beforeJob?: (job: JobSecrets) => Promise<PayloadRefs> | PayloadRefs;
  /** What earlier steps of the job did to the workspace. */
  readonly afterCheckout?: (workspace: string) => Promise<void>;
}

export interface JobSecrets {
  readonly token: string;
  readonly runtimeToken: string;
}

/** The model's key, unless a wish says otherwise. */
export const modelKey = 'key-of-the-model-0123456789';

export interface SentRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly system: string;
  readonly tools: string;
  readonly all: string;
}

/** Routes are written as `POST issues/{issue_number}/comments`: what stands before the repository's own part is left out. */
export interface Exchanges {
  /** Every write to REST, in order; how often progress is shown depends on the time and is left out. */
  readonly writes: readonly string[];
  /** Every read of REST; once each, sorted. */
  readonly reads: readonly string[];
  /** Everything asked of GraphQL, of the artifact service and of git over HTTP; once each, sorted. */
  readonly others: readonly string[];
  readonly modelRequests: number;
  /** What of the exchanges is not as GitHub describes it. */
  readonly contractProblems: readonly string[];
}

export interface Scene {
  readonly github: SimulatedGitHub;
  readonly model: ScriptedModel;
  run(wish: RunWish): Promise<ActionResult>;
  /** Lets a minute go by on the thread before the run. */
  passMinute(): void;
  /** Everything that GitHub and the model were asked so far. */
  exchanges(): Exchanges;
  /** The writes of `exchanges()`. */
  writes(): readonly string[];
  /** Comments on a thread that the bot wrote, without their markers. */
  replies(thread: number): readonly string[];
  /** The n-th request to the model (from 0): its messages, and system prompt, tools and the whole of it as JSON text. */
  sent(n: number): SentRequest;
  /** What of the exchanges is not as GitHub describes it; must be empty. */
  contractProblems(): readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Plays one step of a job; the built Action as a runner starts it, unless a scene is played in another way. */
export type PlayStep = (options: RunActionOptions) => Promise<ActionResult>;

/** Starts a scene with people in it: `wendy` may write, `rita` may read, `oscar` is an outsider. */
export async function startScene(
  script: readonly ScriptStep[],
  options: Partial<GitHubOptions> = {},
  play: PlayStep = runAction,
): Promise<Scene> {
  // The thread has a past: what was pushed in the second of a comment counts as moved after it (B6).
  let lagMs = 3_600_000;
  const github = await startGitHub({ files: shopFiles, now: () => new Date(Date.now() - lagMs), ...options });
  const model = await startModel(script);
  const folder = await mkdtemp(path.join(tmpdir(), 'harness9-e2e-'));
  github.addUser('wendy', { permission: 'write' });
  github.addUser('rita', { permission: 'read' });
  github.addUser('oscar');
  let runs = 0;
  return {
    github,
    model,
    run: async (wish) => {
      runs += 1;
      lagMs = 0;
      return runOnce({ github, model, play, workspace: path.join(folder, `run-${runs}`) }, wish);
    },
    passMinute: () => {
      lagMs -= 60_000;
    },
    exchanges: () => ({
      writes: writesOf(github),
      reads: onceEach(restOf(github).filter(({ method }) => method === 'GET')),
      others: onceEach(github.requests.filter(({ kind }) => kind !== 'rest')),
      modelRequests: model.requests.length,
      contractProblems: contractProblemsOf(github),
    }),
    writes: () => writesOf(github),
    replies: (thread) =>
      github
        .snapshot()
        .comments.filter(({ issue, author }) => issue === thread && author === bot)
        .map(({ body }) => body.replace(/<!-- harness9:.*?-->\n?/g, '').trim()),
    sent: (n) => readRequest(model.requests[n]?.body ?? {}),
    contractProblems: () => contractProblemsOf(github),
    async [Symbol.asyncDispose]() {
      await Promise.all([github.close(), model.close(), rm(folder, { recursive: true, force: true })]);
    },
  };
}

/** Comments on an issue, each a minute after what was before, and the run that it starts. */
export function conversationOn(scene: Scene, issue: number) {
  return async (author: string, body: string, wish: Partial<RunWish> = {}) => {
    scene.passMinute();
    const comment = scene.github.comment({ author, issue, body });
    return scene.run({ event: 'issue_comment', refs: { issue, comment: comment.id }, actor: author, ...wish });
  };
}

const messagesSchema = z.array(z.object({ role: z.string(), content: z.unknown() }));

function readRequest(body: Readonly<Record<string, unknown>>): SentRequest {
  const messages = messagesSchema.parse(body.messages ?? []);
  return {
    messages,
    system: JSON.stringify(messages[0] ?? null),
    tools: JSON.stringify(body.tools ?? []),
    all: JSON.stringify(body),
  };
}

function isProgressEdit({ method, body }: { readonly method: string; readonly body: unknown }): boolean {
  return method === 'PATCH' && JSON.stringify(body ?? null).includes('kind=progress');
}

function writesOf(github: SimulatedGitHub): readonly string[] {
  return restOf(github)
    .filter((request) => request.method !== 'GET' && !isProgressEdit(request))
    .map(nameOf);
}

type Recorded = SimulatedGitHub['requests'][number];

function onceEach(requests: readonly Recorded[]): readonly string[] {
  return [...new Set(requests.map(nameOf))].sort();
}

function nameOf({ method, route, path: called }: Recorded): string {
  return `${method} ${(route ?? called).replace(/^\/repos\/\{owner\}\/\{repo\}\/|^\/twirp\/[\w.]+\//, '')}`;
}

function contractProblemsOf(github: SimulatedGitHub): readonly string[] {
  return (
    restOf(github)
      // A diff is text and has no schema.
      .filter(({ responseBody }) => typeof responseBody !== 'string')
      .flatMap((request) =>
        checkExchange({ ...request, requestBody: request.body }).map(
          (problem) => `${request.method} ${request.path}: ${problem}`,
        ),
      )
  );
}

function restOf(github: SimulatedGitHub) {
  return github.requests.filter(({ kind }) => kind === 'rest');
}

interface Place {
  readonly github: SimulatedGitHub;
  readonly model: ScriptedModel;
  readonly play: PlayStep;
  readonly workspace: string;
}

async function runOnce({ github, model, play, workspace }: Place, wish: RunWish): Promise<ActionResult> {
  const token = github.issueToken(bot, wish.permissions);
  const workflowPath = wish.workflowPath ?? '.github/workflows/harness9.yml';
  const ref = `refs/heads/${github.defaultBranch}`;
  const head = { headBranch: github.defaultBranch, headSha: await github.git('rev-parse', ref) };
  const run = github.startRun({ workflowPath, event: wish.event, actor: wish.actor, ...head });
  const runtimeToken = github.runtimeToken(run.id);
  const refs = (await wish.beforeJob?.({ token, runtimeToken })) ?? wish.refs;
  const { owner, repo } = github;
  const { serverUrl } = addressesOf(github, wish);
  const dir = path.join(workspace, wish.checkoutPath ?? '.');
  const persistCredentials = wish.persistCredentials ?? true;
  const sha = await checkoutRepository({ serverUrl, token, owner, repo, ref, dir, persistCredentials });
  await wish.afterCheckout?.(dir);
  const result = await play({
    actionDir,
    github: { ...addressesOf(github, wish), token, runtimeToken },
    event: { name: wish.event, payload: wish.payload ?? realPayload(wish.event, github.payload(wish.event, refs)) },
    inputs: { ...(wish.onlyInputs === true ? {} : inputsOf(model)), ...wish.inputs },
    workspace,
    runId: run.id,
    runNumber: run.number,
    actor: wish.actor,
    ref,
    sha,
    workflowPath,
    job: wish.job ?? 'harness9',
    ...wish.options,
  });
  github.finishRun(run.id, result.conclusion);
  return result;
}

function addressesOf(github: SimulatedGitHub, wish: RunWish) {
  const { apiUrl, graphqlUrl, serverUrl } = { ...github, ...wish };
  const { resultsUrl, owner, repo, repositoryId } = github;
  return { apiUrl, graphqlUrl, serverUrl, resultsUrl, owner, repo, repositoryId };
}

function inputsOf(model: ScriptedModel) {
  return { provider: 'openai', model: 'scripted', api_key: modelKey, base_url: model.openaiUrl };
}
