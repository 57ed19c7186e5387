/** Runs an action the way a runner does: main, then post whatever happened, and everything that they said and wrote. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ActionMetadata } from './action-metadata.ts';
import { readActionMetadata } from './action-metadata.ts';
import type { CommandFileContent } from './command-files.ts';
import { createCommandFiles, readCommandFiles } from './command-files.ts';
import type { ActionResult, RunActionOptions, StepResult } from './contract.ts';
import type { RunPlaces } from './environment.ts';
import { inputVariables, stepEnvironment } from './environment.ts';
import type { ProcessEnd } from './process-tree.ts';
import { killTracked, RUNNER_CANCEL_TIMES, runNode } from './process-tree.ts';
import type { OutputReader } from './workflow-commands.ts';
import { createOutputReader } from './workflow-commands.ts';

/** Runs the action in `actionDir` once. Rejects only when there is no action to run. */
export async function runAction(options: RunActionOptions): Promise<ActionResult> {
  const startedAt = performance.now();
  const metadata = await readActionMetadata(options.actionDir);
  const temp = await mkdtemp(path.join(tmpdir(), 'simulated-runner-'));
  try {
    const places = await createPlaces(temp, options);
    const reader = createOutputReader([options.github.token, options.github.runtimeToken]);
    warnOfUnknownInputs(metadata, options, reader);
    const main = await runStep({ options, metadata, places, reader }, { file: metadata.main, step: 'main', state: {} });
    const conclusion = conclude(main, options.cancel);
    const post = await runPost({ options, metadata, places, reader }, main, conclusion);
    const orphans = await killTracked(places.trackingId);
    return { ...describe(main, post, reader), conclusion, orphans, durationMs: performance.now() - startedAt };
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

interface Job {
  readonly options: RunActionOptions;
  readonly metadata: ActionMetadata;
  readonly places: RunPlaces;
  readonly reader: OutputReader;
}

interface FinishedStep {
  readonly result: StepResult;
  readonly files: CommandFileContent;
}

async function createPlaces(temp: string, options: RunActionOptions): Promise<RunPlaces> {
  const places = {
    temp: path.join(temp, '_temp'),
    home: path.join(temp, 'home'),
    eventFile: path.join(temp, '_temp', '_github_workflow', 'event.json'),
    trackingId: `github_${randomUUID()}`,
  };
  await Promise.all([
    mkdir(path.dirname(places.eventFile), { recursive: true }),
    mkdir(places.home),
    mkdir(options.workspace, { recursive: true }),
  ]);
  await writeFile(places.eventFile, JSON.stringify(options.event.payload, null, 2));
  return places;
}

function warnOfUnknownInputs(metadata: ActionMetadata, options: RunActionOptions, reader: OutputReader): void {
  const unknown = Object.keys(options.inputs).filter((name) => !Object.hasOwn(metadata.inputs, name));
  if (unknown.length === 0) return;
  const valid = Object.keys(metadata.inputs).map((name) => `'${name}'`);
  reader.readLine(
    `##[warning]Unexpected input(s) ${unknown.map((name) => `'${name}'`).join(', ')}, valid inputs are [${valid.join(', ')}]`,
  );
}

async function runStep(
  { options, metadata, places, reader }: Job,
  step: { readonly file: string; readonly step: string; readonly state: Readonly<Record<string, string>> },
): Promise<FinishedStep> {
  const startedAt = performance.now();
  const files = await createCommandFiles(path.join(places.temp, '_runner_file_commands'), step.step);
  const states = Object.entries(step.state).map(([name, value]) => [`STATE_${name}`, value]);
  const end: ProcessEnd = await runNode({
    file: step.file,
    cwd: options.workspace,
    env: {
      ...options.env,
      ...stepEnvironment(options, places, files),
      ...inputVariables(metadata.inputs, options),
      ...Object.fromEntries(states),
    },
    onLine: (stream, line) => {
      reader.readLine(line);
      options.onLine?.(stream, line);
    },
    // The post step runs after a cancellation and has its own five minutes.
    cancel: step.step === 'main' ? options.cancel : undefined,
    cancelTimes: options.cancelTimes ?? RUNNER_CANCEL_TIMES,
  });
  return { result: { ...end, durationMs: performance.now() - startedAt }, files: await readCommandFiles(files) };
}

function conclude(main: FinishedStep, cancel: AbortSignal | undefined): ActionResult['conclusion'] {
  if (cancel?.aborted === true) return 'cancelled';
  return main.result.exitCode === 0 && main.files.problems.length === 0 ? 'success' : 'failure';
}

async function runPost(job: Job, main: FinishedStep, conclusion: ActionResult['conclusion']): Promise<FinishedStep | null> {
  const { post, postIf } = job.metadata;
  if (post === null || !holds(postIf, conclusion)) return null;
  return runStep(job, { file: post, step: 'post', state: stateOf(main, job.reader) });
}

function holds(condition: string, conclusion: ActionResult['conclusion']): boolean {
  const conditions: Readonly<Record<string, boolean>> = {
    'always()': true,
    'success()': conclusion === 'success',
    'failure()': conclusion === 'failure',
    'cancelled()': conclusion === 'cancelled',
    '!cancelled()': conclusion !== 'cancelled',
  };
  const value = conditions[condition.trim()];
  if (value === undefined) throw new Error(`This runner cannot evaluate post-if: ${condition}`);
  return value;
}

/** The state file and the old command; both are still heard. */
function stateOf(main: FinishedStep, reader: OutputReader): Readonly<Record<string, string>> {
  return { ...namedBy(reader, 'save-state'), ...main.files.state };
}

function namedBy(reader: OutputReader, name: string): Readonly<Record<string, string>> {
  const commands = reader.commands.filter((command) => command.name === name);
  return Object.fromEntries(commands.map(({ properties, data }) => [properties.name ?? '', data]));
}

function describe(
  main: FinishedStep,
  post: FinishedStep | null,
  reader: OutputReader,
): Omit<ActionResult, 'conclusion' | 'orphans' | 'durationMs'> {
  const { exitCode, stdout, stderr } = main.result;
  return {
    exitCode,
    stdout,
    stderr,
    main: main.result,
    post: post?.result ?? null,
    outputs: { ...namedBy(reader, 'set-output'), ...main.files.outputs },
    env: main.files.env,
    state: stateOf(main, reader),
    paths: main.files.paths,
    summary: main.files.summary + (post?.files.summary ?? ''),
    commands: reader.commands,
    log: reader.log(),
    problems: [...main.files.problems, ...(post?.files.problems ?? [])],
  };
}
