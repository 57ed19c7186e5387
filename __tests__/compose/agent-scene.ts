// A whole agent as the Action and the terminal put it together, with rules, hooks and sub-agents, over models that follow scripts and a real folder.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { builtInAgents } from '../../src/agents/built-in.ts';
import type { AgentDefinition } from '../../src/agents/definition.ts';
import { composeAgent } from '../../src/compose/agent.ts';
import { composeEdges } from '../../src/compose/edges.ts';
import type { EngineLimits } from '../../src/compose/engine.ts';
import { composeMainTools, withMainTools } from '../../src/compose/main-tools.ts';
import type { Model } from '../../src/compose/model.ts';
import { composeOutgoing } from '../../src/compose/outgoing.ts';
import { loadOutputSchema } from '../../src/compose/output-schema.ts';
import { composePrices, withPrices } from '../../src/compose/prices.ts';
import { flagSource } from '../../src/compose/trusted-config.ts';
import type { Approve, LLMProvider, ModelRequest } from '../../src/engine/ports.ts';
import { textOf } from '../../src/schema/message.ts';
import type { PlanMode } from '../../src/schema/plan-mode.ts';
import type { EngineEvent, RunResult } from '../../src/schema/run.ts';
import type { EdgeSettings } from '../../src/schema/settings.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { canonicalCall } from '../../src/tools/canonical-call.ts';
import { createHostTools } from '../../src/tools/host-tools.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { createProcessStarter } from '../../src/tools/start-process.ts';
import { FullSession } from '../engine/ports.ts';
import { type Mode, playIn } from '../engine/scene.ts';
import { ScriptedModel, type Step } from '../engine/scripted-model.ts';
import { broken } from './golden-scene.ts';

export interface AgentScene extends AsyncDisposable {
  readonly dir: string;
  readonly model: ScriptedModel;
  /** By their names. */
  readonly children: Readonly<Record<string, ScriptedModel>>;
  readonly session: FullSession;
  readonly events: readonly EngineEvent[];
  readonly log: readonly string[];
  play(prompt?: string, signal?: AbortSignal): Promise<RunResult>;
  /** What each call came to, in the order of the history: its tool, with `!` where it failed. */
  done(): readonly string[];
  /** What the model was told about the call of this number, from 0. */
  heard(number: number): string;
  /** The sub-agents' begins and ends: `name started`, `name completed`. */
  told(): readonly string[];
  read(file: string): string;
}

export interface AgentSceneOptions {
  /** What the models of sub-agents say, by the agents' names. Each is like `general` but for its `definitions`. */
  readonly children?: Readonly<Record<string, readonly Step[]>>;
  readonly definitions?: Readonly<Record<string, Partial<AgentDefinition>>>;
  readonly settings?: Partial<EdgeSettings>;
  readonly planMode?: PlanMode;
  readonly approve?: Approve;
  readonly limits?: Partial<EngineLimits>;
  /** Of OpenAI's, for what it costs. Default: one that nobody knows. */
  readonly modelName?: string;
  readonly secrets?: readonly string[];
  /** As the setting is given. */
  readonly outputSchema?: string;
}

export const noSettings: EdgeSettings = {
  allowedTools: null,
  disallowedTools: null,
  permissionRules: null,
  hooks: null,
  mcpConfig: null,
  verifyCommand: null,
  verifyAttempts: 2,
  otelEndpoint: null,
  otelContent: false,
};

/** `src/cart.js` is there, with a total that subtracts. */
export async function setAgent(mode: Mode, steps: readonly Step[], options: AgentSceneOptions = {}): Promise<AgentScene> {
  const dir = mkdtempSync(path.join(tmpdir(), 'harness9-agent-'));
  mkdirSync(path.join(dir, 'src'));
  writeFileSync(path.join(dir, 'src/cart.js'), broken);
  const [session, model, lifetime] = [new FullSession(), new ScriptedModel(steps), new AbortController()];
  const children = Object.fromEntries(
    Object.entries(options.children ?? {}).map(([name, script]) => [name, new ScriptedModel(script)]),
  );
  const log: string[] = [];
  const events: EngineEvent[] = [];
  const world = worldOf((text) => log.push(...text.trimEnd().split('\n')));
  const outgoing = composeOutgoing(world, options.secrets ?? []);
  const env = { PATH: process.env.PATH ?? '' };
  const startProcess = createProcessStarter({ workDir: dir, env, lifetime: lifetime.signal });
  const edges = await composeEdges(
    {
      settings: { ...noSettings, ...options.settings },
      source: flagSource(dir),
      plan: { tools: 'all', trust: 'trusted' },
      tools: { startProcess, mayExecute: true },
      workDir: dir,
      resource: {},
      outgoing,
      world,
    },
    lifetime.signal,
  );
  const guidance = { instructions: { shown: [], leftOut: [] }, skills: [], agents: [], readSkill: async () => null };
  const prices = await composePrices(options.limits?.maxCostUsd ?? null, world.clock);
  const engine = composeAgent({
    agents: [...agentsOf(options), ...builtInAgents.filter(({ name }) => !(name in children))],
    tools: { registryWith: (more) => registryOver(dir, { env, lifetime: lifetime.signal }, more) },
    mainTools: composeMainTools(guidance),
    edges,
    model: modelOf(withPrices(model, prices), options.modelName ?? 'scripted'),
    modelNamed: async (name) => {
      const provider = children[name];
      return provider && modelOf(withPrices(provider, prices), name);
    },
    surroundings: 'terminal',
    prompt: { workDir: dir, guidance, append: null, world },
    session,
    planMode: options.planMode ?? 'default',
    approve: options.approve,
    outputSchema: await loadOutputSchema(options.outputSchema ?? null, flagSource(dir), outgoing),
    limits: { maxTurns: 20, timeoutMs: 0, maxTokensTotal: null, maxCostUsd: null, ...options.limits },
    prices,
    onEvent: (event) => events.push(event),
    outgoing,
  });
  const observations = () => session.messages.filter(({ toolCallId }) => toolCallId !== undefined);
  const nameOf = (id: string | undefined) =>
    session.messages.flatMap(({ toolCalls }) => toolCalls ?? []).find((each) => each.id === id)?.name;
  return {
    dir,
    model,
    children,
    session,
    events,
    log,
    play: async (prompt = 'Mend the total.', signal = lifetime.signal) =>
      edges.verified(await playIn(mode, engine, prompt, signal)),
    done: () => observations().map(({ toolCallId, isError }) => `${nameOf(toolCallId)}${isError === true ? '!' : ''}`),
    heard: (number) => textOf(observations()[number]?.content ?? []),
    told: () =>
      events.flatMap((event) => {
        if (event.type !== 'subagent_update') return [];
        const { data } = event;
        return [`${data.agent} ${data.state === 'ended' ? data.stopReason : data.state}`];
      }),
    read: (file) => readFileSync(path.join(dir, file), 'utf8'),
    [Symbol.asyncDispose]: async () => {
      lifetime.abort();
      await edges.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function worldOf(stderr: (text: string) => void) {
  let marks = 0;
  const randomHex = (bytes: number): string => {
    marks += 1;
    return marks.toString(16).padStart(bytes * 2, '0');
  };
  return { clock: systemClock, randomHex, env: {}, fetch: globalThis.fetch, stdout: () => undefined, stderr };
}

function agentsOf({ children = {}, definitions = {} }: AgentSceneOptions): readonly AgentDefinition[] {
  const rest = { tools: undefined, disallowedTools: [], maxTurns: undefined, maxTokens: undefined };
  return Object.keys(children).map((name) => {
    return { ...rest, name, description: `Is ${name}.`, model: name, prompt: `You are ${name}.`, ...definitions[name] };
  });
}

interface HostParts {
  readonly env: Readonly<Record<string, string>>;
  readonly lifetime: AbortSignal;
}

/** The host's tools in this process; what compose/tools.ts puts around them knows calls by other words, too. */
function registryOver(workDir: string, parts: HostParts, more: Parameters<typeof withMainTools>[1]) {
  const host = createRegistry();
  for (const tool of createHostTools({ ...parts, workDir, redactionMark: '***', randomHex: () => 'aa' })) host.register(tool);
  const all = withMainTools(host, more);
  const registry: typeof all = { ...all, canonicalCall: (call) => canonicalCall(call, all.getAvailableTools()) };
  return registry;
}

/** The names of the tools that a request offers. */
export function offeredIn(request: ModelRequest | undefined): readonly string[] {
  return (request?.tools ?? []).map(({ name }) => name);
}

/** A model of OpenAI's, of that name, that nobody takes over from. */
export function modelOf(provider: LLMProvider, model: string): Model {
  const origin = { provider: 'openai', endpoint: '', model };
  return { provider, model, vendor: 'openai', origin, fallbackOrigins: [], servingOrigin: () => origin };
}
