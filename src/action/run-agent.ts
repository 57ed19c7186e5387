// The second phase: the plan becomes a bundle. Holds no right to write to GitHub; when it returns, the sandbox is dead.
import type { ModelChoice } from '../compose/choose-model.ts';
import { composeEngine } from '../compose/engine.ts';
import { composeModel } from '../compose/model.ts';
import { composePrompt, composePromptBuilder } from '../compose/prompt.ts';
import { openThreadSession, saveThreadSession, type ThreadSession } from '../compose/session.ts';
import { composeTools, type Tools } from '../compose/tools.ts';
import { prepareWorkspace, type Workspace } from '../compose/workspace.ts';
import { loadTask } from '../github/context/load-task.ts';
import type { Bundle } from '../schema/bundle.ts';
import { hashOf } from '../schema/canonical-json.ts';
import { Harness9Error } from '../schema/error.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { EngineEvent, RunResult } from '../schema/run.ts';
import type { ActionContext } from './context.ts';
import { sessionParts } from './session-parts.ts';
import { titleOf } from './title.ts';

/** Kept back of the agent's time so that what was done can be published (threats.md §4, Time); at most a quarter. */
const publishReserveMs = 60_000;
/** Far beyond what a large repository takes; a cancelled run has less, and then post says what became of it. */
const collectTimeoutMs = 60_000;

export interface AgentRun {
  readonly plan: RunPlan;
  readonly choice: ModelChoice;
  readonly onEvent: (event: EngineEvent) => void;
}

/**
 * RunPlan → Bundle, for every end of the engine's run, a cancelled one too. Rejects for a broken precondition (no checkout, a sandbox
 * that cannot be had), and when `signal` aborts before the engine started.
 */
export async function runAgent(run: AgentRun, context: ActionContext, signal: AbortSignal): Promise<Bundle> {
  const { settings, invocation, world } = context;
  const workspace = await prepareWorkspace(
    { ...invocation, plan: run.plan, workDir: invocation.workspace, token: settings.githubToken, world },
    signal,
  );
  try {
    const tools = await startTools(run.plan, workspace, context);
    const worked = await workThenStop(run, { tools, workspace }, context, signal);
    const collected = await workspace.collect(AbortSignal.timeout(collectTimeoutMs));
    const saved =
      signal.aborted || worked.session === null ? null : await saveThreadSession(sessionParts(run.plan, run.choice, context));
    return makeBundle(run.plan, { ...worked, tools, collected, saved });
  } finally {
    await workspace.restore();
  }
}

async function startTools(plan: RunPlan, workspace: Workspace, context: ActionContext): Promise<Tools> {
  const { settings, invocation, installation, redactor, world, log } = context;
  const tools = await composeTools({
    workDir: invocation.workspace,
    stateDir: invocation.stateDir,
    sandbox: settings.agent.sandbox,
    passEnv: settings.agent.passEnv,
    allowed: plan,
    toolHostEntry: installation.toolHostEntry,
    redaction: redactor,
    world,
    log,
  });
  if (tools.level.level !== 'none' || workspace.credentialFiles.length === 0) return tools;
  await tools.close();
  throw new Harness9Error({
    code: 'CREDENTIALS_IN_REACH',
    message: 'input `sandbox` is "none", and actions/checkout left its credentials where commands can read them',
    hint: 'Add `persist-credentials: false` to the checkout step, or use `sandbox: auto`.',
  });
}

interface Worked {
  readonly result: RunResult;
  readonly session: ThreadSession | null;
  readonly killed: readonly string[];
}

/** Runs the engine, and ends the sandbox whatever came of it. Throws SANDBOX_ALIVE when something of it cannot be ended. */
async function workThenStop(
  run: AgentRun,
  place: { readonly tools: Tools; readonly workspace: Workspace },
  context: ActionContext,
  signal: AbortSignal,
): Promise<Worked> {
  let worked: Omit<Worked, 'killed'>;
  let swept: Awaited<ReturnType<Tools['close']>>;
  try {
    worked = await work(run, place, context, signal);
  } finally {
    swept = await place.tools.close();
  }
  if (swept.survivors.length === 0) return { ...worked, killed: swept.killed };
  throw new Harness9Error({
    code: 'SANDBOX_ALIVE',
    message: `processes of the agent could not be ended: ${swept.survivors.join(', ')}`,
    hint: 'Nothing is published while they run. Look at what the commands start in the background.',
  });
}

async function work(
  run: AgentRun,
  { tools, workspace }: { readonly tools: Tools; readonly workspace: Workspace },
  context: ActionContext,
  signal: AbortSignal,
): Promise<Omit<Worked, 'killed'>> {
  const { plan } = run;
  const { settings, invocation, redactor, world, api, log } = context;
  const [provider, task, session, promptBuilder] = await Promise.all([
    composeModel(run.choice, settings.agent, { world, log, scriptDir: invocation.workspace }),
    loadTask(plan, { api, log }, signal),
    openThreadSession(sessionParts(run.plan, run.choice, context), signal),
    composePromptBuilder({
      workDir: invocation.workspace,
      surroundings: plan.delivery,
      instructionsFiles: settings.agent.instructionsFiles,
      readInstructions: (file) => workspace.readBase(file, signal),
      append: settings.agent.systemPromptAppend,
    }),
  ]);
  const engine = composeEngine({
    provider,
    registry: tools.registry,
    workDir: invocation.workspace,
    promptBuilder,
    session: session?.journal,
    limits: { ...plan.limits, timeoutMs: plan.limits.timeoutMs - Math.min(publishReserveMs, plan.limits.timeoutMs / 4) },
    onEvent: run.onEvent,
    world,
    log,
  });
  const prompt = composePrompt(task, { fence: world.randomHex(8), quote: session?.quote ?? null }, redactor.secrets);
  return { result: await engine.run(prompt, signal), session };
}

function makeBundle(
  plan: RunPlan,
  done: Worked & {
    readonly tools: Tools;
    readonly collected: Awaited<ReturnType<Workspace['collect']>>;
    readonly saved: Awaited<ReturnType<typeof saveThreadSession>> | null;
  },
): Bundle {
  const { result, session, tools, saved, killed } = done;
  const stillRunning =
    killed.length === 0 ? [] : [`Commands were still running at the end and were stopped: ${killed.join(', ')}.`];
  return {
    version: 1,
    planHash: hashOf(plan),
    baseSha: plan.checkoutSha,
    mergeParent: null,
    result,
    reply: result.finalMessage,
    title: titleOf(plan),
    changes: done.collected.changes,
    leftOut: done.collected.leftOut,
    commands: tools.commands,
    sandbox: tools.level.level,
    session: {
      id: session?.journal.id ?? null,
      resumed: session?.resumed ?? false,
      artifactId: saved?.artifactId ?? null,
      notice: session?.notice ?? null,
    },
    notices: [tools.level.notice, saved?.warning ?? null, ...(result.notes ?? []), ...stillRunning].flatMap((line) => line ?? []),
  };
}
