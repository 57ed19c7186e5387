// The third phase: a bundle, whatever made it, is checked against the gate's plan and published, or its refusal is said.
import { validateBundle } from '../github/change/validate-bundle.ts';
import { finishWithFault } from '../github/publish/finish-fault.ts';
import { publish } from '../github/publish/publish.ts';
import type { Bundle } from '../schema/bundle.ts';
import { hintOf, messageOf } from '../schema/error.ts';
import type { Outcome } from '../schema/outcome.ts';
import type { ActionContext } from './context.ts';
import type { AnnouncedRun } from './run-state.ts';

/** What is left of a run: the outcome, and the bundle when it was published. */
export interface Published {
  readonly outcome: Outcome;
  readonly bundle: Bundle | null;
}

/** Bundle → Outcome. One final reply, a refusal included. Rejects on abort only. */
export async function runPublish(
  run: AnnouncedRun,
  bundle: unknown,
  context: ActionContext,
  signal: AbortSignal,
): Promise<Published> {
  const { publishPorts: ports, redactor } = context;
  const validated = validateBundle(run.plan, bundle, redactor.scan);
  if (validated.kind === 'bundle') {
    return { outcome: await publish(run.plan, validated.bundle, run.announcement, { ports, signal }), bundle: validated.bundle };
  }
  const fault = {
    conclusion: 'refused',
    message: `the changes were not published: ${validated.message}`,
    hint: 'Nothing of them is lost in the conversation; ask for a smaller or a different change.',
    answer: answerOf(bundle),
  } as const;
  return { outcome: await finishWithFault(run.plan, run.announcement, fault, { ports, signal }), bundle: null };
}

/** The one final reply for a run that has no bundle. */
export async function sayFault(
  run: AnnouncedRun,
  error: unknown,
  context: ActionContext,
  signal: AbortSignal,
): Promise<Published> {
  const fault = { conclusion: 'error', message: messageOf(error), hint: hintOf(error) } as const;
  return {
    outcome: await finishWithFault(run.plan, run.announcement, fault, { ports: context.publishPorts, signal }),
    bundle: null,
  };
}

function answerOf(bundle: unknown): string | undefined {
  const hasReply = typeof bundle === 'object' && bundle !== null && 'reply' in bundle && typeof bundle.reply === 'string';
  return hasReply ? String(bundle.reply) : undefined;
}
