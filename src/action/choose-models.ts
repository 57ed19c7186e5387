// The models of a run and what they cost: those of the workflow, or the one of them that the request asks for. Decided before anything is posted.
import { chooseFallbacks, chooseModel, chooseNamedModel, type ModelChoice, originOf } from '../compose/choose-model.ts';
import { composePrices, requirePrices } from '../compose/prices.ts';
import { Harness9Error } from '../schema/error.ts';
import type { RunPlan, Skip } from '../schema/gate.ts';
import type { AgentSettings } from '../schema/settings.ts';
import type { ActionContext } from './context.ts';
import type { AgentRun } from './converse.ts';

/** What `chooseModels` grants. */
export type PricedModels = Pick<AgentRun, 'choice' | 'fallbacks' | 'prices'>;

/**
 * A skip where a request's own `--budget` cannot be held, since its author is there to be told. Throws what `chooseModel`, `chooseFallbacks`
 * and `requirePrices` throw: what is wrong with the workflow is said in the job.
 */
export async function chooseModels(
  plan: RunPlan,
  { settings, world }: Pick<ActionContext, 'settings' | 'world'>,
): Promise<PricedModels | Skip> {
  const { agent } = settings;
  const own = chooseModel(agent);
  const choice = choiceOf(plan.model, own, agent);
  const isOther = ({ provider, model }: ModelChoice): boolean => provider !== choice.provider || model !== choice.model;
  const fallbacks = chooseFallbacks(own, agent).filter(isOther);
  const { maxCostUsd } = plan.limits;
  const prices = await composePrices(maxCostUsd, world.clock);
  if (maxCostUsd === null) return { choice, fallbacks, prices };
  const isAsked = settings.gate.maxCostUsd === null;
  const names = { cost: isAsked ? '`--budget`' : 'input `max_cost_usd`', tokens: '`max_tokens_total`' };
  const origins = [choice, ...fallbacks].map((model) => originOf(model, agent));
  try {
    requirePrices(origins, prices, names);
  } catch (error) {
    if (isAsked && error instanceof Harness9Error) return refuseBudget(plan);
    throw error;
  }
  return { choice, fallbacks, prices };
}

/** One that the workflow names and cannot reach is its slip, which `chooseFallbacks` tells. */
function choiceOf(wanted: string | null, own: ModelChoice, agent: AgentSettings): ModelChoice {
  if (wanted === null || wanted === agent.model) return own;
  return chooseNamedModel(wanted, own, agent) ?? own;
}

/** Without the endpoint, which the job's log names and a thread need not. */
function refuseBudget({ trigger, self, thread, channel, comment }: RunPlan): Skip {
  const isTold = comment === 'auto' && thread !== null && channel !== null;
  return {
    version: 1,
    reason: 'bad_option',
    detail: '`--budget` cannot be held: no price is known for the model that would be asked. Ask again without it.',
    conclusion: 'denied',
    notice: isTold ? { thread: thread.number, triggerId: trigger.id, selfId: self.id, channel } : null,
  };
}
