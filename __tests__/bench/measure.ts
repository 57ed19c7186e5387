// Takes the times of one run of a contestant: start to the first model request, time a turn, the most memory that it held.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startGitHub } from '../../src/simulator/github/simulated-github.ts';
import { startModel } from '../../src/simulator/model/scripted-model.ts';
import type { ReceivedRequest, ScriptStep } from '../../src/simulator/model/scripted-turn.ts';
import { checkoutRepository } from '../../src/simulator/runner/checkout-repository.ts';
import { runAction } from '../../src/simulator/runner/run-action.ts';

export const ROOT = path.join(import.meta.dirname, '..', '..');
export const TURNS = 50;
const PROMPT = 'Read the file and say what is in it.';
export const NOTE_FILE = 'note.txt';

/** null: the contestant does not do that. Milliseconds, megabytes. `lateTurnMs`: a turn at the end of a long run. */
export interface Sample {
  readonly firstRequestMs: number;
  readonly turnMs: number | null;
  readonly lateTurnMs: number | null;
  readonly maxRssMb: number | null;
}

/** An empty Node, start to end. */
export async function measureEmptyNode(folder: string): Promise<Sample> {
  const startedAt = performance.now();
  const child = await runToEnd(['-e', ''], { cwd: folder });
  return { firstRequestMs: performance.now() - startedAt, turnMs: null, lateTurnMs: null, maxRssMb: child.maxRssMb };
}

/** The bare loop on plain fetch. */
export function measureFloor(folder: string): Promise<Sample> {
  return measureTurns(folder, (url) => [path.join(import.meta.dirname, 'floor.mjs'), url, PROMPT]);
}

/** The built terminal entry. */
export function measureTerminal(folder: string): Promise<Sample> {
  const entry = path.join(ROOT, 'dist', 'cli', 'index.js');
  return measureTurns(folder, () => [entry, '-p', PROMPT, '--provider', 'openai', '--model', 'm', '--max-turns', '0']);
}

async function measureTurns(folder: string, commandFor: (url: string) => readonly string[]): Promise<Sample> {
  // Each call is another one, as those of a model that gets further: the same one again and again would be stopped.
  const reads = Array.from({ length: TURNS }, (_unused, turn): ScriptStep => {
    return { calls: [{ name: 'read_file', arguments: { path: NOTE_FILE, limit: turn + 1 } }] };
  });
  const model = await startModel([...reads, { text: 'A note.' }]);
  try {
    const startedAt = performance.now();
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: model.openaiUrl };
    const child = await runToEnd(commandFor(model.openaiUrl), { cwd: folder, env });
    const [first, last] = [model.requests[0], model.requests.at(-1)];
    if (child.exitCode !== 0 || first === undefined || last === undefined || model.remaining() > 0) {
      throw new Error(
        `it ended with ${child.exitCode} after ${model.requests.length} of ${TURNS + 1} requests: ${child.stderr.slice(-500)}`,
      );
    }
    return {
      firstRequestMs: first.receivedAtMs - startedAt,
      turnMs: (last.receivedAtMs - first.receivedAtMs) / TURNS,
      lateTurnMs: null,
      maxRssMb: child.maxRssMb,
    };
  } finally {
    await model.close();
  }
}

/** The built Action on a comment, as the runner starts it: up to its first model request. */
export async function measureAction(folder: string): Promise<Sample> {
  const { first, startedAt } = await askFromAction(folder, { protocol: 'openai', prompt: PROMPT });
  return { firstRequestMs: first.receivedAtMs - startedAt, turnMs: null, lateTurnMs: null, maxRssMb: null };
}

/** A comment on a small repository, up to the first request that the model gets. */
export async function askFromAction(
  folder: string,
  { protocol, prompt }: { readonly protocol: 'openai' | 'anthropic'; readonly prompt: string },
): Promise<{ readonly first: ReceivedRequest; readonly startedAt: number }> {
  const workflowPath = '.github/workflows/harness9.yml';
  const github = await startGitHub({ files: { [NOTE_FILE]: 'hello\n', [workflowPath]: 'on: issue_comment\n' } });
  const model = await startModel([{ text: 'A note.' }]);
  try {
    const { number: issue } = github.openIssue({ author: github.owner, title: 'A question' });
    const { id: comment } = github.comment({ author: github.owner, issue, body: `@harness9 ${prompt}` });
    const token = github.issueToken('github-actions[bot]');
    const workspace = path.join(folder, `workspace-${github.apiUrl.replace(/\D/g, '')}`);
    const { serverUrl, owner, repo, apiUrl, graphqlUrl, resultsUrl, repositoryId } = github;
    const sha = await checkoutRepository({ serverUrl, token, owner, repo, ref: 'refs/heads/main', dir: workspace });
    const run = github.startRun({ workflowPath, event: 'issue_comment', headBranch: 'main', headSha: sha, actor: owner });
    const startedAt = performance.now();
    const result = await runAction({
      actionDir: ROOT,
      github: {
        apiUrl,
        graphqlUrl,
        serverUrl,
        resultsUrl,
        owner,
        repo,
        repositoryId,
        token,
        runtimeToken: github.runtimeToken(run.id),
      },
      event: { name: 'issue_comment', payload: github.payload('issue_comment', { issue, comment }) },
      inputs: { provider: protocol, model: 'm', api_key: 'k', base_url: protocol === 'openai' ? model.openaiUrl : model.url },
      ...{ workspace, workflowPath, runId: run.id, actor: owner, ref: 'refs/heads/main', sha, job: 'answer' },
    });
    const first = model.requests[0];
    if (first === undefined)
      throw new Error(`the action ended with ${result.exitCode} and asked no model: ${result.log.slice(-500)}`);
    return { first, startedAt };
  } finally {
    await Promise.all([model.close(), github.close()]);
  }
}

// The high-water mark only grows: what is missed is what the last moments added.
const RSS_INTERVAL_MS = 10;

export async function runToEnd(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<{ readonly exitCode: number | null; readonly maxRssMb: number | null; readonly stderr: string }> {
  const env = { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: options.cwd, ...options.env };
  const child = spawn(process.execPath, args, { cwd: options.cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  let maxRssMb: number | null = null;
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kilobytes !== undefined) maxRssMb = Number(kilobytes) / 1024;
  };
  const timer = setInterval(() => void look(), RSS_INTERVAL_MS);
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  clearInterval(timer);
  return { exitCode, maxRssMb, stderr };
}
