// A plan as the gate makes it of an event on a stage, and the ports that its task is loaded with.
import { decideGate } from '../../src/github/event/decide-gate.ts';
import { loadFacts } from '../../src/github/event/load-facts.ts';
import type { WriterLookup } from '../../src/github/event/load-permission.ts';
import type { RunPlan } from '../../src/schema/gate.ts';
import type { GitHubEvent } from '../../src/schema/github-event.ts';
import type { GateSettings } from '../../src/schema/settings.ts';
import { run, settingsWith } from './event/gate-fixtures.ts';
import { never, type startStage } from './simulated.ts';

export type Stage = Awaited<ReturnType<typeof startStage>>;

export const portsOf = ({ api, hosts }: Stage) => ({ api, hosts, fetch: globalThis.fetch, log: () => undefined });

/** Throws with the reason where the gate skips. */
export async function planOf(
  stage: Stage,
  event: GitHubEvent,
  changes: Partial<GateSettings> = {},
  isWriter?: WriterLookup,
): Promise<RunPlan> {
  const settings = settingsWith(changes);
  const facts = await loadFacts(event, settings, { api: stage.api, now: stage.now, isWriter }, never);
  const decision = decideGate(event, facts, settings, run);
  if (decision.kind === 'run') return decision.plan;
  throw new Error(decision.skip.detail);
}
