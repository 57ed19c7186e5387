// What the thread's session needs of this run; main opens and saves it, post saves it for a run that was cut.
import type { ModelChoice } from '../compose/choose-model.ts';
import type { SessionParts } from '../compose/session.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { ActionContext } from './context.ts';

/** Store, key and place of the session of this run. */
export function sessionParts(plan: RunPlan, choice: ModelChoice, context: ActionContext): SessionParts {
  const { settings, invocation, api, world, log } = context;
  return {
    api,
    plan,
    branch: /^refs\/heads\/(.+)$/.exec(invocation.run.ref)?.[1] ?? null,
    sessionSecret: settings.agent.sessionSecret,
    modelKey: choice.key,
    store: settings.agent.sessionStore,
    retentionDays: settings.agent.sessionRetentionDays,
    stateDir: invocation.stateDir,
    runSecret: context.runState.secret,
    world,
    log,
  };
}
