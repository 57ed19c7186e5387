// The agent's turn at the desk: task, session, prompt and model come together, the engine runs.
import type { ModelChoice } from '../compose/choose-model.ts';
import { composeEngine } from '../compose/engine.ts';
import type { SandboxTrace } from '../compose/leftovers.ts';
import { composeModel } from '../compose/model.ts';
import { composePrompt, composePromptBuilder } from '../compose/prompt.ts';
import { redactModel } from '../compose/redacted-model.ts';
import { openThreadSession, type ThreadSession } from '../compose/session.ts';
import type { Tools } from '../compose/tools.ts';
import type { Workspace } from '../compose/workspace.ts';
import { loadTask } from '../github/context/load-task.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { EngineEvent, RunResult } from '../schema/run.ts';
import type { ActionContext } from './context.ts';
import { sessionParts } from './session-parts.ts';

/** A run as the agent's phase gets it. */
export interface AgentRun {
  readonly plan: RunPlan;
  readonly sandbox: SandboxTrace;
  readonly choice: ModelChoice;
  readonly onEvent: (event: EngineEvent) => void;
}

/** Where a run works: the workspace around the sandbox, the tools inside. */
export interface Place {
  readonly workspace: Workspace;
  readonly tools: Tools;
}

/** Kept back of the agent's time so that what was done can be published (threats.md §4, Time); at most a quarter. */
const publishReserveMs = 60_000;

/** What the engine's run came to, and the session that it worked on; null when the plan keeps none. */
export interface Conversation {
  readonly result: RunResult;
  readonly session: ThreadSession | null;
}

/** Runs the engine on the plan's task. Resolves for every end of the run; rejects when it could not start. */
export async function converse(run: AgentRun, place: Place, context: ActionContext, signal: AbortSignal): Promise<Conversation> {
  const { plan, choice } = run;
  const { settings, invocation, redactor, world, api, log } = context;
  const [provider, task, session, promptBuilder] = await Promise.all([
    composeModel(choice, settings.agent, { world, log, scriptDir: invocation.workspace }),
    loadTask(plan, { api, log }, signal),
    openThreadSession(sessionParts(plan, choice, context), signal),
    composePromptBuilder(
      {
        workDir: invocation.workspace,
        surroundings: plan.delivery,
        instructionsFiles: settings.agent.instructionsFiles,
        readInstructions: (file) => place.workspace.readBase(file, signal),
        append: settings.agent.systemPromptAppend,
      },
      redactor.secrets,
    ),
  ]);
  const engine = composeEngine({
    provider: redactModel(provider, redactor),
    registry: place.tools.registry,
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
