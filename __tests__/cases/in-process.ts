// Plays a step of a job with src in this process: the same environment, phases and tool host as on a runner, without what dist alone shows
// (bundling, command files, signals). Quick enough for one test a case.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runAction } from '../../src/action/run-action.ts';
import { runPost } from '../../src/action/run-post.ts';
import type { Runner } from '../../src/action/runner.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import type { Clock, World } from '../../src/schema/world.ts';
import type { GitHubOptions } from '../../src/simulator/github/contract.ts';
import type { ScriptStep } from '../../src/simulator/model/scripted-turn.ts';
import { readActionMetadata } from '../../src/simulator/runner/action-metadata.ts';
import type { ActionResult, RunActionOptions } from '../../src/simulator/runner/contract.ts';
import { inputVariables, stepEnvironment } from '../../src/simulator/runner/environment.ts';
import { type PlayStep, type Scene, startScene } from '../e2e/scene.ts';

/** The built one: to start it from its sources takes longer than the rest of a run. */
const toolHostEntry = path.join(import.meta.dirname, '../../dist/tool-host/index.js');

/** A scene of `startScene` whose steps are played in this process; sessions are kept where a case asks for them. `post`, `env` and `paths` of its results are empty. */
export function startCase(
  script: readonly ScriptStep[],
  options: Partial<GitHubOptions> = {},
  clock: Clock = systemClock,
): Promise<Scene> {
  return startScene(script, options, playWith(clock));
}

/** A clock whose waits are over at once while `isHasty`, and that says how long these would have been. */
export function hastyClock(isHasty: () => boolean): { readonly clock: Clock; readonly waits: readonly number[] } {
  const waits: number[] = [];
  let ahead = 0;
  const clock: Clock = {
    now: () => new Date(Date.now() + ahead),
    monotonicMs: () => performance.now() + ahead,
    sleep: (ms, signal) => {
      if (signal.aborted || !isHasty()) return systemClock.sleep(ms, signal);
      waits.push(ms);
      ahead += ms;
      return Promise.resolve();
    },
  };
  return { clock, waits };
}

function playWith(clock: Clock): PlayStep {
  return async (options) => {
    const startedAt = performance.now();
    const folder = await mkdtemp(path.join(tmpdir(), 'harness9-case-'));
    try {
      const env = await environmentOf(options, folder);
      const runner = recordingRunner();
      let log = '';
      const world: World = {
        clock,
        randomHex: (bytes) => randomBytes(bytes).toString('hex'),
        env,
        fetch: globalThis.fetch,
        stdout: () => undefined,
        stderr: (text) => {
          log += text;
        },
      };
      const installation = { distDir: path.join(folder, 'dist'), toolHostEntry };
      const exitCode = await withProcessEnv(env, async () => {
        const main = await runAction(world, runner, installation, options.cancel ?? new AbortController().signal);
        await runPost(world, runner, installation);
        return main;
      });
      return resultOf(exitCode, { runner, log, durationMs: performance.now() - startedAt });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

async function environmentOf(options: RunActionOptions, folder: string): Promise<Record<string, string>> {
  const at = (name: string) => path.join(folder, name);
  const places = { temp: at('temp'), home: at('home'), eventFile: at('event.json'), trackingId: 'case' };
  const files = { OUTPUT: at('output'), ENV: at('env'), STATE: at('state'), PATH: at('path'), STEP_SUMMARY: at('summary') };
  await Promise.all([mkdir(places.temp), mkdir(places.home), mkdir(at('dist'))]);
  await Promise.all(Object.values(files).map((file) => writeFile(file, '')));
  await writeFile(places.eventFile, JSON.stringify(options.event.payload));
  const { inputs } = await readActionMetadata(options.actionDir);
  return {
    ...options.env,
    ...stepEnvironment(options, places, files),
    ...inputVariables(inputs, { ...options, inputs: { session: 'off', ...options.inputs } }),
  };
}

interface RecordingRunner extends Runner {
  readonly outputs: Readonly<Record<string, string>>;
  readonly commands: ActionResult['commands'];
  readonly states: Readonly<Record<string, string>>;
  summaries(): string;
}

function recordingRunner(): RecordingRunner {
  const outputs: Record<string, string> = {};
  const states: Record<string, string> = {};
  const commands: { name: string; properties: Record<string, string>; data: string }[] = [];
  let summaries = '';
  return {
    outputs,
    states,
    commands,
    summaries: () => summaries,
    mask: () => undefined,
    output: (name, value) => {
      outputs[name] = value;
    },
    saveState: (name, value) => {
      states[name] = value;
    },
    state: (name) => states[name] ?? '',
    warning: (data) => void commands.push({ name: 'warning', properties: {}, data }),
    fail: (data) => void commands.push({ name: 'error', properties: {}, data }),
    summary: async (markdown) => {
      summaries += markdown;
    },
  };
}

/** What the official clients read for themselves. */
const readByOthers = ['ACTIONS_RESULTS_URL', 'ACTIONS_RUNTIME_TOKEN', 'GITHUB_SERVER_URL', 'GITHUB_RETENTION_DAYS'] as const;

async function withProcessEnv<T>(env: Readonly<Record<string, string>>, run: () => Promise<T>): Promise<T> {
  const before = readByOthers.map((name) => [name, process.env[name]] as const);
  for (const name of readByOthers) process.env[name] = env[name];
  try {
    return await run();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

function resultOf(
  exitCode: number,
  { runner, log, durationMs }: { readonly runner: RecordingRunner; readonly log: string; readonly durationMs: number },
): ActionResult {
  const { outputs, commands, states: state } = runner;
  const said = commands.map(({ name, data }) => `##[${name}]${data}\n`).join('');
  return {
    exitCode,
    stdout: '',
    stderr: log,
    main: { exitCode, signal: null, stdout: '', stderr: log, durationMs },
    post: null,
    outputs,
    env: {},
    state,
    paths: [],
    summary: runner.summaries(),
    commands,
    log: log + said,
    problems: [],
    conclusion: exitCode === 0 ? 'success' : 'failure',
    orphans: 0,
    durationMs,
  };
}
