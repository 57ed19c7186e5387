// The session's file, uploaded once by whoever comes to it, main or post; the bundle then says what became of it.
import type { ModelChoice } from '../compose/choose-model.ts';
import { saveThreadSession } from '../compose/session.ts';
import type { Bundle } from '../schema/bundle.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { ActionContext } from './context.ts';
import { sessionParts } from './session-parts.ts';

/**
 * `bundle` with its session uploaded. Comes after the bundle lies in the state: an upload may take as long as a runner waits before it
 * kills, and the work must not be lost with it. Never rejects, and takes a minute at most.
 */
export async function keepSession(bundle: Bundle, plan: RunPlan, choice: ModelChoice, context: ActionContext): Promise<Bundle> {
  if (plan.dryRun) return bundle;
  if (bundle.session.id === null || bundle.session.artifactId !== null) return bundle;
  const { artifactId, warning } = await saveThreadSession(sessionParts(plan, choice, context));
  return {
    ...bundle,
    session: { ...bundle.session, artifactId },
    notices: warning === null ? bundle.notices : [...bundle.notices, warning],
  };
}
