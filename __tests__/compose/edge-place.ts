// A place for what stands around the engine: edges and agent as they are composed, over a real folder, a real tool host and scripted models.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AgentDefinition } from '../../src/agents/definition.ts';
import { composeAgent } from '../../src/compose/agent.ts';
import type { EdgeParts } from '../../src/compose/edge-parts.ts';
import { composeEdges } from '../../src/compose/edges.ts';
import { loadGuidance } from '../../src/compose/guidance.ts';
import { composeMainTools } from '../../src/compose/main-tools.ts';
import { composeOutgoing } from '../../src/compose/outgoing.ts';
import { composeTools } from '../../src/compose/tools.ts';
import { baseSource } from '../../src/compose/trusted-config.ts';
import type { Approve } from '../../src/engine/ports.ts';
import { createPrices } from '../../src/provider/prices.ts';
import type { RunResult } from '../../src/schema/run.ts';
import type { EdgeSettings } from '../../src/schema/settings.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import type { World } from '../../src/schema/world.ts';
import { observationsOf } from '../agents/engine-scene.ts';
import { ScriptedModel, type Step } from '../engine/scripted-model.ts';
import { entryOf } from '../entries.ts';
import { modelOf, noSettings } from './agent-scene.ts';

export const never = new AbortController().signal;
/** Known to the redactor of every place. */
export const secret = 'a-secret-of-the-run-0123456789';

/** Runs by what they may do: the plan's word (DESIGN.md, Trust), and the sandbox's. */
const runs = {
  trusted: { tools: 'all', bash: 'allowed', trust: 'trusted', sandbox: 'process' },
  mixed: { tools: 'all', bash: 'sandboxed', trust: 'mixed', sandbox: 'process' },
  untrusted: { tools: 'read_only', bash: 'denied', trust: 'untrusted', sandbox: 'process' },
  readonly: { tools: 'all', bash: 'allowed', trust: 'trusted', sandbox: 'readonly' },
} as const;

export type Run = keyof typeof runs;

/** `files`: of the base commit. */
interface Around {
  readonly settings?: Partial<EdgeSettings>;
  readonly files?: Readonly<Record<string, string>>;
  readonly verification?: EdgeParts['verification'];
}

interface PlayOptions extends Around {
  readonly agents?: readonly AgentDefinition[];
  /** By the name that a sub-agent's definition gives its model. */
  readonly children?: Readonly<Record<string, readonly Step[]>>;
  readonly maxTurns?: number;
  readonly approve?: Approve;
  readonly prompt?: string;
}

export interface Played {
  readonly result: RunResult;
  /** Of what stands around the engine. */
  readonly notices: readonly string[];
  readonly parent: ScriptedModel;
  /** What a model was told of its calls, by their ids: `parent`, or a sub-agent's by its name. */
  heard(model: string): Readonly<Record<string, string>>;
}

export interface EdgePlace extends AsyncDisposable {
  readonly log: string[];
  has(file: string): boolean;
  read(file: string): string;
  write(file: string, text: string): void;
  /** An empty folder and an empty log. */
  clear(): void;
  partsOf(around: Around): EdgeParts;
  /** Composes everything, runs it once and closes what stands around it. */
  play(steps: readonly Step[], options?: PlayOptions): Promise<Played>;
}

/** The tool host is started once for all that happens in the place. */
export async function startEdgePlace(run: Run = 'trusted'): Promise<EdgePlace> {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'harness9-edges-')));
  const workDir = path.join(base, 'ws');
  mkdirSync(workDir);
  const log: string[] = [];
  const world: World = {
    clock: systemClock,
    randomHex: (bytes) => 'f'.repeat(bytes * 2),
    env: { PATH: process.env.PATH },
    fetch: globalThis.fetch,
    stdout: () => undefined,
    stderr: (text) => log.push(text),
  };
  const outgoing = composeOutgoing(world, [secret]);
  const { sandbox, trust, ...allowed } = runs[run];
  const tools = await composeTools({
    workDir,
    stateDir: path.join(base, 'state'),
    sandbox,
    passEnv: [],
    allowed,
    toolHostEntry: entryOf('tool-host'),
    marker: path.basename(base),
    guarded: [],
    redaction: outgoing.redactor,
    world,
    log: outgoing.log,
  });
  const place: EdgePlace = {
    log,
    has: (file) => existsSync(path.join(workDir, file)),
    read: (file) => readFileSync(path.join(workDir, file), 'utf8'),
    write: (file, text) => writeFileSync(path.join(workDir, file), text),
    clear: () => {
      log.length = 0;
      for (const entry of readdirSync(workDir)) rmSync(path.join(workDir, entry), { recursive: true });
    },
    partsOf: ({ settings = {}, files = {}, verification }) => ({
      settings: { ...noSettings, ...settings },
      source: baseSource({ read: async (file) => files[file] ?? null }),
      plan: { tools: allowed.tools, trust },
      tools,
      workDir,
      ...(verification === undefined ? {} : { verification }),
      resource: {},
      outgoing,
      world,
    }),
    play: async (steps, options = {}) => {
      const { agents = [], children = {}, maxTurns = 20, approve, prompt = 'The whole.' } = options;
      const parent = new ScriptedModel(steps);
      const models = new Map(Object.entries(children).map(([name, script]) => [name, new ScriptedModel(script)]));
      const guidance = await loadGuidance({ list: async () => [], read: async () => null }, [], outgoing.log);
      const edges = await composeEdges(place.partsOf(options), never);
      const engine = composeAgent({
        agents,
        tools,
        mainTools: composeMainTools(guidance),
        edges,
        model: modelOf(parent, 'gpt-x'),
        modelNamed: async (name) => {
          const provider = models.get(name);
          return provider && modelOf(provider, name);
        },
        surroundings: 'terminal',
        prompt: { workDir, guidance, append: null, world },
        session: undefined,
        planMode: 'default',
        approve,
        limits: { maxTurns, timeoutMs: 0, maxTokensTotal: null, maxCostUsd: null },
        prices: createPrices(world.clock.now),
        outgoing,
      });
      const result = await engine.run(prompt, never).finally(() => edges.close());
      const heard = (name: string) => observationsOf(models.get(name) ?? parent);
      return { result: edges.verified(result), notices: edges.notices, parent, heard };
    },
    [Symbol.asyncDispose]: async () => {
      await tools.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
  return place;
}
