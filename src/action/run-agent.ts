// The second phase: the plan becomes a bundle. Holds no right to write to GitHub; when it returns, the sandbox is dead.

import path from 'node:path';
import { composeEdges, type Edges } from '../compose/edges.ts';
import { loadGuidance, namesIn } from '../compose/guidance.ts';
import { composeMainTools } from '../compose/main-tools.ts';
import { composeModeTools } from '../compose/mode-tools.ts';
import { loadOutputSchema } from '../compose/output-schema.ts';
import { composeTools, type SandboxEnd, type Tools } from '../compose/tools.ts';
import { startTranscript } from '../compose/transcript.ts';
import { baseSource } from '../compose/trusted-config.ts';
import { prepareWorkspace, type Workspace } from '../compose/workspace.ts';
import type { Collected } from '../github/change/collect-changes.ts';
import type { Bundle } from '../schema/bundle.ts';
import { Harness9Error, messageOf } from '../schema/error.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { RunResult } from '../schema/run.ts';
import type { ActionContext } from './context.ts';
import { type AgentRun, type Conversation, converse, type Place } from './converse.ts';
import { LostBundle } from './lost-bundle.ts';
import { makeBundle } from './make-bundle.ts';
import { proveFix } from './prove-fix.ts';
import { listed, runnerTampered, sandboxAlive } from './sandbox-faults.ts';

/** Far beyond what a large repository takes; a cancelled run has less, and then post says what became of it. */
const collectTimeoutMs = 60_000;

/**
 * RunPlan → Bundle, for every end of the engine's run, a cancelled one too. Rejects for a broken precondition (no checkout, a sandbox
 * that cannot be had), when `signal` aborts before the engine started, and with a LostBundle for a fault after the engine's run.
 */
export async function runAgent(run: AgentRun, context: ActionContext, signal: AbortSignal): Promise<Bundle> {
  const place = await preparePlace(run, context, signal);
  let conversation: Conversation;
  let end: PlaceEnd;
  try {
    conversation = await converse(run, place, context, signal);
  } finally {
    end = await endPlace(place);
    if (end.transcript !== null && end.survivors.length === 0) run.onTranscript(end.transcript);
  }
  try {
    refuseUnclean(end);
    const collected = await place.workspace.collect(AbortSignal.timeout(collectTimeoutMs));
    const result = proven(run.plan, { conversation, place, collected }, context);
    const found = place.modeTools.found();
    const { merge } = place.workspace;
    return makeBundle(run.plan, { ...conversation, result, tools: place.tools, collected, merge, found, notices: end.notices });
  } catch (error) {
    throw new LostBundle(error, conversation.result.finalMessage);
  }
}

interface Worked {
  readonly conversation: Conversation;
  readonly place: Place;
  readonly collected: Collected;
}

/** By `verify_command`, or where there is none by the command that failed in the check. */
function proven({ mode }: RunPlan, { conversation, place, collected }: Worked, { settings }: ActionContext): RunResult {
  const verified = place.edges.verified(conversation.result, collected);
  if (mode !== 'fix' || settings.agent.edges.verifyCommand !== null) return verified;
  const ranSinceEdit = place.tools.commandsSinceEdit();
  return proveFix(verified, { failed: conversation.failedCommands, ranSinceEdit, isChanged: collected.changes.length > 0 });
}

async function preparePlace(run: AgentRun, context: ActionContext, signal: AbortSignal): Promise<Place> {
  const { settings, invocation, world } = context;
  const token = await context.access.token();
  const workspace = await prepareWorkspace(
    { ...invocation, plan: run.plan, workDir: invocation.workspace, token, world },
    signal,
  );
  try {
    const guidance = await loadGuidance(workspace.baseFiles, settings.agent.instructionsFiles, context.log);
    const modeTools = composeModeTools(run.plan, context.api);
    const mainTools = composeMainTools(guidance, run.plan.instruction.command === 'continue', modeTools.tools);
    const { outputSchema: form } = settings.agent;
    const outputSchema = await loadOutputSchema(form, baseSource(workspace.baseFiles), context);
    const tools = await startTools(run, workspace, context);
    try {
      const edges = await startEdges(run, { workspace, tools, guidance }, context, signal);
      const transcript = startTranscript(transcriptFile(context), context);
      return { workspace, guidance, mainTools, modeTools, outputSchema, tools, edges, transcript };
    } catch (error) {
      await tools.close();
      throw error;
    }
  } catch (error) {
    await workspace.restore();
    throw error;
  }
}

/** Of this run only: other steps of the job have the same folder. */
function transcriptFile({ invocation, world }: ActionContext): string {
  return path.join(invocation.stateDir, `transcript-${world.randomHex(4)}.jsonl`);
}

/** The runner reads these after each step and believes them (D1, D2, D4, D5). */
const runnerFiles = ['GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'] as const;

function startEdges(
  { plan }: AgentRun,
  { workspace, tools, guidance }: Pick<Place, 'workspace' | 'tools' | 'guidance'>,
  context: ActionContext,
  signal: AbortSignal,
): Promise<Edges> {
  const { settings, invocation } = context;
  const parts = {
    settings: settings.agent.edges,
    source: baseSource(workspace.baseFiles),
    plan,
    tools,
    workDir: invocation.workspace,
    named: namesIn(guidance),
    verification: workspace.verification,
    resource: {
      'vcs.repository.url.full': `${invocation.serverUrl}/${plan.repository.owner}/${plan.repository.name}`,
      'cicd.pipeline.run.id': String(plan.run.id),
      'cicd.pipeline.run.url.full': plan.run.url,
    },
    outgoing: context,
    world: context.world,
  };
  return composeEdges(parts, signal);
}

async function startTools({ plan, sandbox }: AgentRun, workspace: Workspace, context: ActionContext): Promise<Tools> {
  const { settings, invocation, installation, redactor, world, log } = context;
  const tools = await composeTools({
    workDir: invocation.workspace,
    stateDir: invocation.stateDir,
    sandbox: settings.agent.sandbox,
    passEnv: settings.agent.passEnv,
    allowed: plan,
    toolHostEntry: installation.toolHostEntry,
    marker: sandbox.marker,
    guarded: [installation.distDir, ...runnerFiles.flatMap((name) => world.env[name] || [])],
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

interface PlaceEnd extends SandboxEnd {
  readonly notices: readonly string[];
  /** The file, as long as it is what was written. */
  readonly transcript: string | null;
}

/** Ends the sandbox, then puts back what was hidden from it. What cannot be put back is said, and is no reason to lose the work. */
async function endPlace({ tools, workspace, edges, transcript }: Place): Promise<PlaceEnd> {
  await edges.close();
  const end = { ...(await tools.close()), transcript: await transcript.close() };
  const stillRunning = end.killed.length === 0 ? [] : [`Still running at the end, and stopped: ${listed(end.killed)}.`];
  const notices = [...workspace.notices, ...edges.notices, ...stillRunning];
  try {
    await workspace.restore();
    return { ...end, notices };
  } catch (error) {
    return { ...end, notices: [...notices, `The checkout's credentials were not put back: ${messageOf(error)}`] };
  }
}

/** Nothing is published beside living commands, and nothing of a run that reached for the runner. */
function refuseUnclean({ survivors, tampered }: PlaceEnd): void {
  if (survivors.length > 0) throw sandboxAlive(survivors);
  if (tampered.length > 0) throw runnerTampered(tampered);
}
