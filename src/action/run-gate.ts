// The first phase: the event as it came, the facts about it, and the decision. Posts nothing.
import { decideGate } from '../github/event/decide-gate.ts';
import { decideTrigger } from '../github/event/decide-trigger.ts';
import { loadFacts } from '../github/event/load-facts.ts';
import { parseEvent } from '../github/event/parse-event.ts';
import type { GateDecision } from '../schema/gate.ts';
import type { ActionContext } from './context.ts';
import { loadPrompt } from './load-prompt.ts';

/** event → RunPlan or a reasoned Skip. Throws EVENT_MALFORMED, or INPUT_INVALID for a prompt file that is not there. */
export async function runGate(context: ActionContext, signal: AbortSignal): Promise<GateDecision> {
  const { invocation, settings, api, isWriter, world } = context;
  const event = parseEvent(invocation.eventName, invocation.payload, invocation.origin);
  // Most comments are not for us; they must not cost an API call.
  const trigger = decideTrigger(event, settings.gate, invocation.run);
  if (trigger.kind === 'skip') return trigger;
  const ports = { api, isWriter, now: world.clock.now, triggeringActor: invocation.triggeringActor };
  const facts = await loadFacts(event, settings.gate, ports, signal);
  const prompt = await loadPrompt(
    settings.gate.prompt,
    { api, repository: invocation.repository, commit: facts.base.sha },
    signal,
  );
  return decideGate(event, facts, { ...settings.gate, prompt }, invocation.run);
}
