// The agent's turn at the desk: task, session, prompt and model come together, the engine runs.

import { type AgentParts, composeAgent } from '../compose/agent.ts';
import { chooseNamedModel, type ModelChoice } from '../compose/choose-model.ts';
import type { Edges } from '../compose/edges.ts';
import type { Guidance } from '../compose/guidance.ts';
import type { SandboxTrace } from '../compose/leftovers.ts';
import type { MainTools } from '../compose/main-tools.ts';
import type { ModeTools } from '../compose/mode-tools.ts';
import { composeModel, type Model } from '../compose/model.ts';
import type { Prices } from '../compose/prices.ts';
import { composePrompt } from '../compose/prompt.ts';
import { gitHubFetch } from '../compose/proxies.ts';
import { redactResult } from '../compose/redact-result.ts';
import { openThreadSession, type ThreadSession } from '../compose/session.ts';
import { loadShownPictures, loadShownTexts } from '../compose/shown-pictures.ts';
import type { Tools } from '../compose/tools.ts';
import type { RunTranscript } from '../compose/transcript.ts';
import type { Workspace } from '../compose/workspace.ts';
import { createAttachmentHosts } from '../github/context/attachment-hosts.ts';
import { loadTask } from '../github/context/load-task.ts';
import type { Watch } from '../github/control/watch-thread.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { EngineEvent, RunResult } from '../schema/run.ts';
import type { ActionContext } from './context.ts';
import { withMerge } from './merged-work.ts';
import { createPlanKeeper, loadApprovedPlan } from './plans.ts';
import { sessionParts } from './session-parts.ts';

/** A run as the agent's phase gets it. */
export interface AgentRun {
  readonly plan: RunPlan;
  readonly sandbox: SandboxTrace;
  readonly choice: ModelChoice;
  /** Who takes over from it, in order. */
  readonly fallbacks: readonly ModelChoice[];
  readonly prices: Prices;
  /** Somebody on the thread may end the engine's run; what is done so far is published all the same. */
  readonly stop: Pick<Watch, 'stopped' | 'stoppedBy'>;
  readonly onEvent: (event: EngineEvent) => void;
  /** Called once, with the file of the run's transcript, when it is whole and nobody is left who could change it. */
  readonly onTranscript: (file: string) => void;
}

/** Where a run works: the workspace around the sandbox, the tools inside, and what the base commit says of itself. */
export interface Place {
  readonly workspace: Workspace;
  readonly tools: Tools;
  readonly mainTools: MainTools;
  readonly modeTools: ModeTools;
  readonly guidance: Guidance;
  readonly outputSchema: AgentParts['outputSchema'];
  readonly edges: Edges;
  readonly transcript: RunTranscript;
}

/** Kept back of the agent's time so that what was done can be published (threats.md §4, Time); at most a quarter. */
const publishReserveMs = 60_000;

/** What the engine's run came to, as people may see it, and the session that it worked on; null when the plan keeps none. */
export interface Conversation {
  readonly result: RunResult;
  readonly session: ThreadSession | null;
  /** The commands of the failed steps of a check that is to be mended. */
  readonly failedCommands: readonly string[];
}

/** Runs the engine on the plan's task. Resolves for every end of the run; rejects when it could not start. */
export async function converse(run: AgentRun, place: Place, context: ActionContext, signal: AbortSignal): Promise<Conversation> {
  const { plan, choice } = run;
  const { redactor, world, api, isWriter, log } = context;
  const [own, task, session] = await Promise.all([
    openModel(choice, { ...context, prices: run.prices }, run.fallbacks),
    loadTask(plan, { api, isWriter, fetch: gitHubFetch(world), hosts: createAttachmentHosts(context.invocation), log }, signal),
    openThreadSession(sessionParts(plan, choice, context), signal),
  ]);
  const approvedPlan = await loadApprovedPlan(plan, session);
  const keeper = createPlanKeeper(plan, session);
  const begun = await keeper.begin();
  const { transcript } = place;
  const engine = composeAgent({
    ...place,
    agents: place.guidance.agents,
    model: own,
    modelNamed: async (name) => {
      const named = chooseNamedModel(name, choice, context.settings.agent);
      return named && (await openModel(named, { ...context, prices: run.prices }));
    },
    surroundings: plan.mode === 'plan' ? 'plan' : plan.delivery,
    prompt: promptOf(place, context),
    session: session?.journal,
    planMode: plan.mode === 'plan' ? 'plan' : 'default',
    limits: { ...plan.limits, timeoutMs: plan.limits.timeoutMs - Math.min(publishReserveMs, plan.limits.timeoutMs / 4) },
    prices: run.prices,
    onEvent: (event) => {
      transcript.onEvent(event);
      run.onEvent(event);
    },
    outgoing: context,
  });
  const isResumed = session?.resumed ?? false;
  const shownPictures = isResumed ? await loadShownPictures(session?.journal) : new Set<string>();
  const last = session?.lastRun ?? null;
  const lastRun = last && { ...last, texts: await loadShownTexts(session?.journal) };
  const frame = { fence: world.randomHex(8), quote: session?.quote ?? null, isResumed, approvedPlan, shownPictures, lastRun };
  const prompt = composePrompt(withMerge(task, plan, place.workspace.merge), frame, redactor.secrets);
  transcript.begin({ model: choice.model, url: plan.run.url, prompt });
  const ended = await engine.run(prompt, AbortSignal.any([signal, run.stop.stopped]));
  const result = redactResult(withStopper(ended, run.stop), redactor.outward);
  const notes = [...(result.notes ?? []), ...begun, ...(await keeper.end(result))];
  return { result: notes.length === 0 ? result : { ...result, notes }, session, failedCommands: task.failedCommands ?? [] };
}

/** A run that was over before it could be stopped was not. */
function withStopper(result: RunResult, stop: AgentRun['stop']): RunResult {
  const stoppedBy = stop.stoppedBy();
  return stoppedBy === null || result.stopReason !== 'cancelled' ? result : { ...result, stoppedBy };
}

/** A model of this run's provider settings, and those that take over from it. */
function openModel(
  choice: ModelChoice,
  context: ActionContext & Pick<AgentRun, 'prices'>,
  fallbacks: readonly ModelChoice[] = [],
): Promise<Model> {
  const { agent } = context.settings;
  const others = fallbacks.map((other) => ({ choice: other, settings: agent }));
  return composeModel({ choice, settings: agent }, { ...context, scriptDir: context.invocation.workspace }, others);
}

function promptOf({ guidance }: Place, { settings, invocation, world }: ActionContext) {
  return { workDir: invocation.workspace, guidance, append: settings.agent.systemPromptAppend, world };
}
