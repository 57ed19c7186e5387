// A parent's engine with the task tool, and an engine for each sub-agent within it, over models that follow scripts.
import { createBackgroundWork } from '../../src/agents/background-work.ts';
import { builtInAgents } from '../../src/agents/built-in.ts';
import type { AgentDefinition } from '../../src/agents/definition.ts';
import type { RunSubagent } from '../../src/agents/run-subagent.ts';
import { createTaskTool } from '../../src/agents/task-tool.ts';
import { toolsOf } from '../../src/agents/tools-of.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import { type ToolCall, textOf } from '../../src/schema/message.ts';
import type { EngineEvent, RunResult } from '../../src/schema/run.ts';

import { createRegistry, type Registry } from '../../src/tools/registry.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { ManualClock, type TestTool } from '../engine/ports.ts';
import { type Mode, playIn } from '../engine/scene.ts';
import { call, ScriptedModel, type Step } from '../engine/scripted-model.ts';

interface SceneOptions {
  readonly agents?: readonly AgentDefinition[];
  /** Of the parent; its sub-agents have them by their definitions. */
  readonly tools?: Readonly<Record<string, TestTool>>;
  readonly options?: EngineOptions;
}

export interface EngineScene {
  readonly parent: ScriptedModel;
  /** By the prompt that the sub-agent was given. */
  readonly children: ReadonlyMap<string, ScriptedModel>;
  readonly clock: ManualClock;
  readonly events: readonly EngineEvent[];
  readonly log: readonly string[];
  play(signal?: AbortSignal): Promise<RunResult>;
}

/** `children`: what the sub-agent with each prompt's model says. */
export function setEngineScene(
  mode: Mode,
  steps: readonly Step[],
  children: Readonly<Record<string, readonly Step[]>>,
  { agents = builtInAgents, tools = {}, options = {} }: SceneOptions = {},
): EngineScene {
  const parent = new ScriptedModel(steps);
  const models = new Map(Object.entries(children).map(([prompt, script]) => [prompt, new ScriptedModel(script)]));
  const clock = new ManualClock();
  const events: EngineEvent[] = [];
  const log: string[] = [];
  const note = (line: string): void => void log.push(line);
  const background = createBackgroundWork({ randomHex: (bytes) => 'f'.repeat(bytes * 2) });
  const runSubagent: RunSubagent = async ({ agent, prompt }, { signal, run }) => {
    const model = models.get(prompt);
    if (model === undefined) throw new Error(`no model for ${JSON.stringify(prompt)}`);
    const own = toolsOf(
      agent,
      all.map(({ definition }) => definition),
    );
    const registry = registryWith(all.filter(({ definition }) => own.includes(definition)));
    const limits = { maxTurns: agent.maxTurns, maxTokensTotal: agent.maxTokens };
    return await createEngine(model, registry, '/w', { ...limits, within: run, clock, log: note }).run(prompt, signal);
  };
  const task = defineTool(createTaskTool(agents, { runSubagent, background, clock, log: note }));
  const all = [...Object.entries(tools).map(([name, tool]) => toolOf(name, tool)), task];
  const onEvent = (event: EngineEvent): void => void events.push(event);
  const engine = createEngine(parent, registryWith(all), '/w', { background, clock, onEvent, log: note, ...options });
  const play = (signal?: AbortSignal) => playIn(mode, engine, 'The whole.', signal);
  return { parent, children: models, clock, events, log, play };
}

function toolOf(name: string, { run, timeoutMs, effect = 'read' }: TestTool): Tool {
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  return {
    definition: { name, description: name, inputSchema: { type: 'object' }, place: 'main', effect, ...limit },
    execute: async (args, { signal, run: context = {}, callId = '' }) =>
      await run({ id: callId, name, arguments: JSON.stringify(args) }, { signal, run: context }),
  };
}

function registryWith(tools: readonly Tool[]): Registry {
  const registry = createRegistry();
  for (const tool of tools) registry.register(tool);
  return registry;
}

export function taskCall(id: string, prompt: string, more: object = {}): ToolCall {
  return call(id, 'task', { agent: 'general', prompt, ...more });
}

/** What the parent's model was told of its calls in its last request, by the call's id. */
export function observationsOf(model: ScriptedModel): Readonly<Record<string, string>> {
  const messages = model.requests.at(-1)?.messages ?? [];
  return Object.fromEntries(
    messages.flatMap(({ toolCallId, content }) => (toolCallId === undefined ? [] : [[toolCallId, textOf(content)]])),
  );
}

/** An agent like `general`, but for what is said. */
export function agentWith(part: Partial<AgentDefinition>): AgentDefinition {
  const rest = { tools: undefined, disallowedTools: [], model: undefined, maxTurns: undefined, maxTokens: undefined };
  return { ...rest, name: 'general', description: 'Does it.', prompt: 'Do it.', ...part };
}
