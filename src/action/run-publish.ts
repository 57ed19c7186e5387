// The third phase: a bundle, whatever made it, is checked against the gate's plan and published, or its refusal is said.
import { validateBundle } from '../github/change/validate-bundle.ts';
import { type Fault, finishWithFault } from '../github/publish/finish-fault.ts';
import { publish } from '../github/publish/publish.ts';
import { type Bundle, bundleSchema, type Refusal } from '../schema/bundle.ts';
import { Harness9Error, hintOf, messageOf } from '../schema/error.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { Outcome } from '../schema/outcome.ts';
import type { ActionContext } from './context.ts';
import { answerOf } from './lost-bundle.ts';
import type { AnnouncedRun } from './run-state.ts';

/** What is left of a run: the outcome, and the bundle as far as it can be read, published or not. */
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
  if (validated.kind === 'refusal') return sayRefusal(run, { refusal: validated, bundle }, context, signal);
  const outcome = await publish(run.plan, validated.bundle, run.announcement, { ports, signal });
  return { outcome, bundle: validated.bundle };
}

/** Nothing of a refused bundle is published, and nothing of it is lost: the answer is in the reply, the changes are in the patch file. */
async function sayRefusal(
  run: AnnouncedRun,
  { refusal, bundle }: { readonly refusal: Refusal; readonly bundle: unknown },
  context: ActionContext,
  signal: AbortSignal,
): Promise<Published> {
  const readable = bundleSchema.safeParse(bundle).data ?? null;
  const fault: Fault = {
    conclusion: 'refused',
    message: `the changes were not published: ${refusal.message}`,
    hint: refusalHint(refusal, run.plan),
    answer: readable?.reply,
  };
  const outcome = await finishWithFault(run.plan, run.announcement, fault, { ports: context.publishPorts, signal });
  const patch = context.redactor.outward(
    [...(readable?.changes ?? []), ...(readable?.leftOut ?? [])].map(({ patch: text }) => text).join(''),
  );
  return { outcome: { ...outcome, patch }, bundle: readable };
}

function refusalHint({ code }: Refusal, { limits }: RunPlan): string {
  if (code === 'size') {
    const { maxPatchFiles, maxPatchBytes, maxDeletions } = limits;
    return `Raise max_patch_files (now ${maxPatchFiles}), max_patch_kb (now ${Math.round(maxPatchBytes / 1024)}) or max_deletions (now ${maxDeletions}) in the workflow, or ask for a smaller change. The changes are in the file that the output patch_file names.`;
  }
  if (code === 'secret') return 'Ask for the change without the secret in it.';
  return 'Ask for the change in another way.';
}

/** The one final reply for a run that has no bundle. */
export async function sayFault(
  run: AnnouncedRun,
  error: unknown,
  context: ActionContext,
  signal: AbortSignal,
): Promise<Published> {
  const fault: Fault = {
    conclusion: 'error',
    code: error instanceof Harness9Error ? error.code : undefined,
    message: messageOf(error),
    hint: hintOf(error),
    answer: answerOf(error),
  };
  const outcome = await finishWithFault(run.plan, run.announcement, fault, { ports: context.publishPorts, signal });
  return { outcome, bundle: null };
}
