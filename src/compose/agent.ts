// The agent of a run, for the Action and the terminal alike: its tools beside each other, its sub-agents, and the engine over them.
import { builtInAgents } from '../agents/built-in.ts';
import type { AgentDefinition } from '../agents/definition.ts';
import { unknownTools } from '../agents/tools-of.ts';
import type { Engine } from '../engine/engine.ts';
import type { Approve, OutputSchema, Session } from '../engine/ports.ts';
import type { Surroundings } from '../prompt/system-prompt.ts';
import type { ToolDefinition } from '../schema/message.ts';
import { oneLine } from '../schema/one-line.ts';
import type { PlanMode } from '../schema/plan-mode.ts';
import type { EngineEvent } from '../schema/run.ts';
import { hostToolDefinitions } from '../tools/host-tools.ts';
import type { Edges } from './edges.ts';
import { composeEngine, type EngineLimits } from './engine.ts';
import type { MainTools } from './main-tools.ts';
import type { Model } from './model.ts';
import type { Outgoing } from './outgoing.ts';
import { hasPrice, type Prices } from './prices.ts';
import { type AgentPrompt, composePromptBuilder } from './prompt.ts';
import { composeSubagents } from './subagents.ts';
import type { Tools } from './tools.ts';

export interface AgentParts {
  readonly agents: readonly AgentDefinition[];
  readonly tools: Pick<Tools, 'registryWith'>;
  readonly mainTools: MainTools;
  readonly edges: Edges;
  readonly model: Model;
  /** The model that a sub-agent's definition names; undefined: it is not within this run's reach. */
  readonly modelNamed: (name: string) => Promise<Model | undefined>;
  readonly surroundings: Surroundings;
  readonly prompt: AgentPrompt;
  readonly session: Session | undefined;
  readonly planMode: PlanMode;
  readonly approve?: Approve | undefined;
  /** The form of its final message; its sub-agents report in words. */
  readonly outputSchema?: OutputSchema | undefined;
  readonly limits: EngineLimits;
  readonly prices: Prices;
  readonly onEvent?: (event: EngineEvent) => void;
  readonly outgoing: Outgoing;
}

/** An engine ready to run. Throws what its parts throw. */
export function composeAgent(parts: AgentParts): Engine {
  const { edges, prompt, outgoing, planMode, approve, limits, outputSchema } = parts;
  const own = traced(parts.model, edges);
  const subagents = composeSubagents({
    ...parts,
    approve,
    maxTurns: limits.maxTurns,
    registry: () => registry,
    modelOf: async (name) => (name === undefined ? own : await modelOrOwn(name, own, parts)),
  });
  const all = parts.tools.registryWith([...parts.mainTools.tools, ...edges.mcpTools, subagents.tool]);
  tellUnknownTools(parts, all.getAvailableTools());
  const registry = edges.aroundTools(all);
  const tools = registry.getAvailableTools().map(({ name }) => name);
  return composeEngine({
    provider: own.provider,
    servingOrigin: own.servingOrigin,
    prices: parts.prices,
    registry,
    workDir: prompt.workDir,
    promptBuilder: composePromptBuilder(
      { ...prompt, surroundings: parts.surroundings, tools, hasForm: outputSchema !== undefined && planMode !== 'plan' },
      outgoing.redactor.secrets,
    ),
    outputSchema,
    session: parts.session,
    todoStore: parts.mainTools.todoStore,
    planMode,
    permissions: edges.permissions.checker,
    hooks: edges.hooks,
    approve,
    background: subagents.background,
    observer: edges.tracing?.observer,
    limits,
    ...(parts.onEvent === undefined ? {} : { onEvent: parts.onEvent }),
    world: prompt.world,
    log: outgoing.log,
  });
}

/** Of definitions in files: the built-in ones name tools that may come. */
function tellUnknownTools({ agents, outgoing }: AgentParts, tools: readonly ToolDefinition[]): void {
  const own = agents.filter((agent) => !builtInAgents.includes(agent));
  if (own.length === 0) return;
  const known = [...hostToolDefinitions(), ...tools];
  for (const agent of own) {
    const unknown = unknownTools(agent, known);
    if (unknown.length > 0) outgoing.log(`[agents] ${agent.name}: no tool is named ${unknown.join(', ')}`);
  }
}

/** A sub-agent whose model cannot be had, or would spend what nobody could count, works with its parent's. */
async function modelOrOwn(name: string, own: Model, parts: AgentParts): Promise<Model> {
  const { modelNamed, limits, prices, edges, outgoing } = parts;
  const model = await modelNamed(name);
  const isHeld = limits.maxCostUsd === null || (model !== undefined && hasPrice(model.origin, prices));
  if (model !== undefined && isHeld) return traced(model, edges);
  const why = model === undefined ? 'is of a vendor whose own key is not given' : 'has no known price, and there is a budget';
  outgoing.log(`[agents] the model ${oneLine(name, 100)} ${why}; ${own.model} takes its place`);
  return own;
}

function traced(model: Model, { tracing }: Edges): Model {
  const provider = tracing?.traceProvider(model.provider, { provider: model.vendor, model: model.model });
  return { ...model, provider: provider ?? model.provider };
}
