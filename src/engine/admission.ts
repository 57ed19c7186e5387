// Whether a call may run, asked before its own time begins: by the plan mode's rules, and by a person where they say so.
import { messageOf } from '../schema/error.ts';
import type { ToolCall, ToolDefinition } from '../schema/message.ts';
import type { ApprovalRequest, PlanMode } from '../schema/plan-mode.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import type { Log } from '../schema/world.ts';
import { decideCall } from './plan-mode.ts';
import type { Approve, CallContext } from './ports.ts';

/** Why a call must not run, for the model; undefined: it may. Never rejects; ends on abort, and what it says then does not count. */
export type Admit = (call: ToolCall) => Promise<string | undefined>;

interface AdmissionParts {
  readonly planMode: PlanMode;
  readonly tools: readonly ToolDefinition[];
  readonly approve: Approve | undefined;
  readonly context: CallContext;
  readonly onAsk: (request: ApprovalRequest) => void;
  readonly log: Log;
}

/** The admission of one turn's calls. A person gets one question after another, never two at once. */
export function createAdmission(parts: AdmissionParts): Admit {
  let before: Promise<unknown> = Promise.resolve();
  return async (call) => {
    const rule = decideCall(parts.planMode, call, parts.tools);
    if (rule.kind === 'allow') return undefined;
    if (rule.kind === 'deny') return rule.text;
    const answer = before.then(() => ask({ call, reason: rule.reason }, parts));
    before = answer;
    return await answer;
  };
}

async function ask(request: ApprovalRequest, { approve, context, onAsk, log }: AdmissionParts): Promise<string | undefined> {
  if (context.signal.aborted) return undefined;
  onAsk(request);
  const refused = `"${request.call.name}" was not run: ${request.reason}`;
  const unanswered = `${refused}, and nobody can answer here. Go on without it, and say in your answer what is left to be done.`;
  if (approve === undefined) return unanswered;
  try {
    const { isAllowed, feedback } = await untilAborted(approve(request, context), context.signal);
    // Whatever is not a plain yes is none.
    if (isAllowed === true) return undefined;
    const hasWords = typeof feedback === 'string' && feedback.trim() !== '';
    return `${refused}, and it was denied${hasWords ? `: ${feedback}` : '.'}`;
  } catch (error) {
    if (!context.signal.aborted) log(`warning=approval_failed error=${messageOf(error)}`);
    return unanswered;
  }
}
