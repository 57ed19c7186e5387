// One shot in the terminal: a prompt in, the result on stdout, the log on stderr, the ending as exit code (INTERFACE.md, Terminal).
import { composeTerminalEngine, type Engine } from '../compose/terminal-engine.ts';
import { composeTerminalEnvironment, type TerminalEnvironment } from '../compose/terminal-environment.ts';
import { messageOf } from '../schema/error.ts';
import { textPart } from '../schema/message.ts';
import type { EngineEvent, RunResult } from '../schema/run.ts';
import type { Log, World } from '../schema/world.ts';
import { createApprover, type Seat } from './approver.ts';
import { openConversation } from './conversation.ts';
import type { PrintOptions } from './print-arguments.ts';
import { createReporter, exitCodeOf, type Reporter } from './report.ts';
import { createScreen } from './screen.ts';
import { findTranscriptFile } from './transcript-file.ts';
import { findWorkDir } from './work-dir.ts';

/** What the entry knows about where it is. */
export interface Installation {
  readonly version: string;
  readonly toolHostEntry: string;
  /** Where it was started; null when that folder is gone. */
  readonly cwd: string | null;
}

/** `prompt`: what the person says, then what was piped in with it. */
export interface OneShot extends Omit<PrintOptions, 'prompt' | 'mayAsk'> {
  readonly prompt: readonly [string, ...string[]];
}

export interface PrintParts {
  readonly installation: Installation;
  /** Where a person sits who is asked where a rule asks; null: nobody is there. */
  readonly seat: Seat | null;
  readonly signal: AbortSignal;
}

/** Runs the prompt and returns the exit code: 0 completed, 1 error, 3 a limit, 130 interrupted. Throws CLI_USAGE for `--cwd` and `--transcript`. */
export async function print(options: OneShot, world: World, { installation, seat, signal }: PrintParts): Promise<number> {
  const { toolHostEntry } = installation;
  const workDir = await findWorkDir(options.cwd, installation.cwd);
  const transcript = await findTranscriptFile(options.transcript, workDir);
  const screen = createScreen(world.stderr);
  const environment = await composeTerminalEnvironment(workDir, { ...world, stderr: screen.write }, signal);
  const { redactor } = environment;
  const outward = { env: environment.world.env, redact: redactor.outward };
  const reporter = createReporter(options.format, environment.world, outward);
  const approve = seat === null ? undefined : createApprover({ seat, screen, outward, secrets: redactor.secrets, workDir });
  const place = { workDir, toolHostEntry, transcript, environment, reporter, approve };
  try {
    return exitCodeOf(await converse(options, place, signal));
  } catch (error) {
    return exitCodeOf(reporter.failure(error, signal));
  }
}

interface Place {
  readonly workDir: string;
  readonly toolHostEntry: string;
  readonly transcript: string | null;
  readonly environment: TerminalEnvironment;
  readonly reporter: Reporter;
  readonly approve: ReturnType<typeof createApprover> | undefined;
}

/** The run inside its conversation. */
async function converse(options: OneShot, place: Place, signal: AbortSignal): Promise<RunResult> {
  const { workDir, environment, reporter } = place;
  const { world, log } = environment;
  const conversation = await openConversation(options.session, { workspace: workDir, world, log, say: reporter.say });
  try {
    const { toolHostEntry, transcript, approve } = place;
    const { engine, close } = await composeTerminalEngine(
      { ...options, workDir, toolHostEntry, session: conversation.session, approve, transcript },
      environment,
      signal,
    );
    try {
      return await runEngine(engine, options, place, signal);
    } finally {
      await atEnd(close, log);
    }
  } finally {
    const id = await atEnd(conversation.end, log);
    // Who was there to be asked will be there again.
    const print = place.approve === undefined ? '-p ' : '';
    if (id !== undefined) reporter.say(`session ${id} · continue with: harness9 ${print}--resume ${id} "…"`);
  }
}

async function runEngine(engine: Engine, options: OneShot, place: Place, signal: AbortSignal): Promise<RunResult> {
  const { reporter, environment } = place;
  const prompt = options.prompt.map((text) => textPart(environment.redactor.secrets(text)));
  if (options.format === 'stream-json') return await runAsStream(engine.runStream(prompt, signal), reporter);
  const result = await engine.run(prompt, signal);
  reporter.result(result);
  return result;
}

async function runAsStream(events: AsyncIterable<EngineEvent>, reporter: Reporter): Promise<RunResult> {
  let result: RunResult | undefined;
  for await (const event of events) {
    reporter.event(event);
    if (event.type === 'done' || event.type === 'error') result = event.data;
  }
  if (result !== undefined) return result;
  throw new Error('the stream of events ended without a result');
}

/** The result is told already: what goes wrong in tidying up must not take its place. */
async function atEnd<T>(tidy: () => Promise<T>, log: Log): Promise<T | undefined> {
  try {
    return await tidy();
  } catch (error) {
    log(`[terminal] warning=tidying_up_failed error=${messageOf(error)}`);
    return undefined;
  }
}
