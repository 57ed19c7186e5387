// The sub-agents of a run, wired: the task tool and an engine for each of them, with what its parent has at most and limits of its own.
import { type BackgroundWork, createBackgroundWork } from '../agents/background-work.ts';
import type { AgentDefinition } from '../agents/definition.ts';
import type { RunSubagent } from '../agents/run-subagent.ts';
import { createTaskTool } from '../agents/task-tool.ts';
import { toolsOf } from '../agents/tools-of.ts';
import { offeredTools } from '../engine/plan-mode.ts';
import type { Approve, Hook, ToolRegistry } from '../engine/ports.ts';
import { messageOf } from '../schema/error.ts';
import { oneLine } from '../schema/one-line.ts';
import type { PlanMode } from '../schema/plan-mode.ts';
import type { Log } from '../schema/world.ts';
import { defineTool, type Tool } from '../tools/tool.ts';
import type { Edges } from './edges.ts';
import { composeEngine } from './engine.ts';
import { hideFiles } from './hidden-files.ts';
import type { Model } from './model.ts';
import type { Outgoing } from './outgoing.ts';
import type { Prices } from './prices.ts';
import { type AgentPrompt, composePromptBuilder } from './prompt.ts';
import { restrictRegistry } from './restricted-registry.ts';

/** Fewer than a run's own: a part of a task is smaller than the task. */
const defaultMaxTurns = 30;

export interface SubagentParts {
  readonly agents: readonly AgentDefinition[];
  /** What the parent has. Asked for when a sub-agent begins: the task tool is one of its tools. */
  readonly registry: () => ToolRegistry;
  /** undefined: the parent's own. */
  readonly modelOf: (name: string | undefined) => Promise<Model>;
  readonly edges: Pick<Edges, 'permissions' | 'hooks' | 'tracing'>;
  readonly prompt: AgentPrompt;
  readonly planMode: PlanMode;
  readonly maxTurns: number;
  readonly prices: Prices;
  readonly approve: Approve | undefined;
  readonly outgoing: Outgoing;
}

export interface Subagents {
  readonly tool: Tool;
  readonly background: BackgroundWork;
}

/** `task`, and what it leaves running beside the turns. */
export function composeSubagents(parts: SubagentParts): Subagents {
  const { prompt, outgoing } = parts;
  const { redactor } = outgoing;
  const work = createBackgroundWork(prompt.world);
  // A report comes past the registry, where results are redacted.
  const takeEnded = () =>
    work.takeEnded().map(({ text, note }) => ({ text: redactor.secrets(text), note: redactor.secrets(note) }));
  const background = { ...work, takeEnded };
  const { log } = outgoing;
  const runSubagent = createRunSubagent(parts);
  const agents = parts.agents.filter((agent) => canBeHeld(agent, parts));
  return { tool: defineTool(createTaskTool(agents, { runSubagent, background, clock: prompt.world.clock, log })), background };
}

/** One whose lists cannot be read is none: what was meant as a limit must not fall away. */
function canBeHeld(agent: AgentDefinition, { edges, outgoing }: SubagentParts): boolean {
  try {
    edges.permissions.narrowedTo(agent);
    return true;
  } catch (error) {
    outgoing.log(`[agents] ${oneLine(messageOf(error), 300)}; the agent is not used`);
    return false;
  }
}

function createRunSubagent(parts: SubagentParts): RunSubagent {
  const { edges, prompt, outgoing } = parts;
  const hooks = edges.hooks.flatMap(aroundCalls);
  const isPlanning = parts.planMode === 'plan';
  return async ({ agent, prompt: order, callId, isBackground }, { signal, run }) => {
    const { provider, servingOrigin } = await parts.modelOf(agent.model);
    const offered = restrictRegistry(parts.registry(), (tools) => offeredTools(toolsOf(agent, tools), parts.planMode));
    const own = edges.permissions.narrowedTo(agent);
    const registry = hideFiles(offered, own.hiddenFrom);
    const tools = registry.getAvailableTools().map(({ name }) => name);
    const engine = composeEngine({
      provider,
      servingOrigin,
      prices: parts.prices,
      registry,
      workDir: prompt.workDir,
      promptBuilder: composePromptBuilder(
        { ...prompt, surroundings: 'subagent', role: isPlanning ? `${agent.prompt}\n\n${planningText}` : agent.prompt, tools },
        outgoing.redactor.secrets,
      ),
      // It has what reads, and no more; the plan is its parent's to write.
      planMode: isPlanning ? 'default' : parts.planMode,
      permissions: own.checker,
      hooks,
      // Whoever is asked would not know what for: the run has gone on meanwhile.
      approve: isBackground ? undefined : approveFor(agent, parts.approve),
      observer: edges.tracing?.observerOf(agent.name),
      within: run,
      limits: {
        maxTurns: maxTurnsOf(agent, parts.maxTurns),
        timeoutMs: 0,
        maxTokensTotal: agent.maxTokens ?? null,
        maxCostUsd: null,
      },
      world: prompt.world,
      log: logOf(agent.name, callId, outgoing.log),
    });
    return await engine.run(order, signal);
  };
}

const planningText =
  'The run that you work for makes a plan: look, and change nothing. What should be changed goes into your report.';

/** A person is told who asks. */
function approveFor({ name }: AgentDefinition, approve: Approve | undefined): Approve | undefined {
  if (approve === undefined) return undefined;
  return (request, context) => approve({ ...request, reason: `${request.reason} (asked for the sub-agent ${name})` }, context);
}

/** The smaller one; 0 = no limit. */
function maxTurnsOf({ maxTurns = defaultMaxTurns }: AgentDefinition, parents: number): number {
  return parents === 0 ? maxTurns : Math.min(maxTurns, parents);
}

/** A run's turns and its end are its own hooks' matter; what is done in it, all of them's. */
function aroundCalls({ name, timeoutMs, preToolUse, postToolUse }: Hook): readonly Hook[] {
  if (preToolUse === undefined && postToolUse === undefined) return [];
  return [
    {
      name,
      timeoutMs,
      ...(preToolUse === undefined ? {} : { preToolUse }),
      ...(postToolUse === undefined ? {} : { postToolUse }),
    },
  ];
}

/** Lines of runs that go on side by side are told apart, those of one agent as well. */
function logOf(agent: string, callId: string, log: Log): Log {
  return (line) => log(line.replace(/^\[[a-z-]+\] /, (head) => `${head}agent=${agent} task=${callId} `));
}
