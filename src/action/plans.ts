// The plan that waits in a thread's session: made by one run, approved by a person, carried out by another (decision 0010).
import type { ThreadSession } from '../compose/session.ts';
import { renderPlan } from '../github/publish/plan-reply.ts';
import { Harness9Error, messageOf } from '../schema/error.ts';
import type { RunPlan } from '../schema/gate.ts';
import { isFinished, type RunResult } from '../schema/run.ts';

/** null where nothing is approved. It comes from the session, which is signed, and never from a comment. Throws NO_PLAN or PLAN_UNSEEN. */
export async function loadApprovedPlan(plan: RunPlan, session: ThreadSession | null): Promise<string | null> {
  if (plan.instruction.command !== 'approve') return null;
  // It would only be read, and the conversation, with the plan in it, would be trusted no further from then on.
  if (plan.tools === 'read_only') throw unseen(plan);
  const text = await session?.journal.getPlan();
  if (text !== undefined) return text;
  throw new Harness9Error({ code: 'NO_PLAN', ...whyNoPlan(plan, session?.notice ?? null) });
}

function unseen({ handle }: RunPlan): Harness9Error {
  return new Harness9Error({
    code: 'PLAN_UNSEEN',
    message: 'The pull request may have been pushed to after your approval, so the plan is not carried out.',
    hint: `Look at what is there now, and reply \`${handle} approve\` again.`,
  });
}

function whyNoPlan({ handle, session }: RunPlan, notice: string | null): { readonly message: string; readonly hint: string } {
  if (session !== 'auto') {
    return {
      message: `No plan waits here to be approved: the workflow sets \`session: ${session}\`, so that none is kept.`,
      hint: `Reply \`${handle} do what the plan says\`, or set \`session: auto\` in the workflow and ask for the plan again.`,
    };
  }
  const message = 'There is no plan on this thread that waits to be carried out.';
  return {
    message: notice === null ? message : `${message} ${notice}`,
    hint: `Ask for one with \`${handle} plan <task>\`, or say what is to be done.`,
  };
}

/** Keeps and drops the plan of a session. Both answer with what people should know of it, and never reject: the run's work does not hang on it. */
export interface PlanKeeper {
  /** Before the run: who asks for another plan does not want the one before, whatever comes of it. */
  begin(): Promise<readonly string[]>;
  /** After it, with the result as it leaves: a plan that was made waits as people saw it; one that was carried out to its end, in one run or in several, waits no more. */
  end(result: RunResult): Promise<readonly string[]>;
}

export function createPlanKeeper(plan: RunPlan, session: ThreadSession | null): PlanKeeper {
  const save = async (text: string | undefined): Promise<readonly string[]> => {
    try {
      await session?.journal.savePlan(text);
      return [];
    } catch (error) {
      const what =
        text === undefined
          ? 'An earlier plan could not be taken away'
          : 'The plan cannot be approved, since it could not be kept';
      return [`${what}: ${messageOf(error)}`];
    }
  };
  return {
    begin: async () => (plan.mode === 'plan' ? save(undefined) : []),
    end: async (result) => {
      const made = renderPlan(plan, { reply: result.finalMessage, result });
      if (made !== null) return save(made);
      return isCarriedOut(plan, result) ? save(undefined) : [];
    },
  };
}

function isCarriedOut({ tools, instruction: { command } }: RunPlan, result: RunResult): boolean {
  const isWorkedOn = tools === 'all' && (command === 'approve' || command === 'continue');
  return isWorkedOn && isFinished(result);
}
