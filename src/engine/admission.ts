// Whether a call may run, and as what, asked before its own time begins: by hooks, rules, the plan mode, and a person where they say so.
import { z } from 'zod';
import { messageOf } from '../schema/error.ts';
import type { ToolCall, ToolDefinition } from '../schema/message.ts';
import { oneLine } from '../schema/one-line.ts';
import type { PermissionDecision } from '../schema/permission.ts';
import type { ApprovalRequest, PlanMode } from '../schema/plan-mode.ts';
import { createQueue } from '../schema/queue.ts';
import type { Denial } from '../schema/run-scope.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import type { Log } from '../schema/world.ts';
import { denialOf } from './denials.ts';
import type { Hooks, Judged, Opinion } from './hooks.ts';
import { parseAnswer } from './parse-answer.ts';
import { decideCall, type Rule } from './plan-mode.ts';
import type { Approve, CallContext, PermissionChecker } from './ports.ts';

/** Of arguments that a hook changed, as the model is shown them. */
const mostArgumentsChars = 300;

/**
 * `call` is what runs. `denial`: why it must not, for the model. `remark`: what the model must know about the call besides its result, since
 * it is not the call that it made.
 */
export interface Admitted {
  readonly call: ToolCall;
  readonly denial: string | undefined;
  readonly remark: string | undefined;
}

/** Never rejects; ends on abort, and what it says then does not count. */
export type Admit = (call: ToolCall) => Promise<Admitted>;

/** `text` is for the model; `why` for people who were not asked: whose word it is, as a clause. */
interface Refusal {
  readonly text: string;
  readonly why?: string | undefined;
}

interface AdmissionParts {
  readonly turn: number;
  readonly planMode: PlanMode;
  readonly tools: readonly ToolDefinition[];
  readonly hooks: Hooks;
  readonly permissions: PermissionChecker | undefined;
  readonly approve: Approve | undefined;
  readonly context: CallContext;
  readonly onAsk: (request: ApprovalRequest) => void;
  /** Told of what was denied by anybody but a person, who knows, and the plan mode, which is what was asked for. */
  readonly onDenied: (denial: Denial) => void;
  readonly log: Log;
}

/** The admission of one turn's calls. A person gets one question after another, never two at once. */
export function createAdmission(parts: AdmissionParts): Admit {
  const { turn, planMode, tools, hooks, context, onDenied, log } = parts;
  const inTurn = createQueue();
  const refuse = (call: ToolCall, { text, why }: Refusal): string => {
    if (why !== undefined && !context.signal.aborted) {
      const denial = denialOf(call, why);
      log(`tool=${call.name} id=${call.id} state=denied why=${denial.why} about=${denial.about}`);
      onDenied(denial);
    }
    return text;
  };
  return async (asked) => {
    const tool = tools.find(({ name }) => name === asked.name);
    const judged = await hooks.preToolUse({ turn, call: asked, tool }, context);
    const { call, opinion } = judged;
    const ruled = opinion.kind === 'deny' ? none : await askRules(call, tool, parts);
    const decision = decide(opinion, ruled, decideCall(planMode, call, tools));
    const remark = remarkOn(judged);
    switch (decision.kind) {
      case 'allow':
        return { call, denial: undefined, remark };
      case 'deny':
        return { call, denial: refuse(call, decision), remark };
      case 'ask': {
        const refusal = await inTurn(() => ask({ call, reason: decision.reason }, parts));
        return { call, denial: refusal && refuse(call, refusal), remark };
      }
    }
  };
}

/**
 * The strictest wins: what anybody denies is denied, a hook that asks is asked for. What a hook allows is not asked about by a rule or a
 * mode, and what a rule allows not by a mode. Source: decision 0012.
 */
function decide(hook: Opinion, ruled: PermissionDecision, mode: Rule): Decision {
  for (const one of [hook, ruled, mode]) if (one.kind === 'deny') return one;
  if (hook.kind === 'ask') return hook;
  if (hook.kind === 'allow') return { kind: 'allow' };
  if (ruled.kind === 'ask') return { kind: 'ask', reason: `the permission rule ${ruled.rule} wants it confirmed` };
  return ruled.kind === 'allow' ? { kind: 'allow' } : mode;
}

const none: PermissionDecision = { kind: 'none' };

const permissionSchema: z.ZodType<PermissionDecision> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('allow'), rule: z.string() }),
  z.object({ kind: z.literal('ask'), rule: z.string() }),
  z.object({ kind: z.literal('deny'), text: z.string().regex(/\S/, 'expected words'), why: z.string().optional() }),
]);

type Decision = Exclude<Rule, { readonly kind: 'deny' }> | ({ readonly kind: 'deny' } & Refusal);

/** What the rules say; rules that cannot be asked deny. */
async function askRules(
  call: ToolCall,
  tool: ToolDefinition | undefined,
  { permissions, context, log }: AdmissionParts,
): Promise<PermissionDecision> {
  if (permissions === undefined || context.signal.aborted) return none;
  try {
    return parseAnswer(permissionSchema, await untilAborted(permissions.check(call, tool, context), context.signal));
  } catch (error) {
    const why = oneLine(messageOf(error), 500);
    if (!context.signal.aborted) log(`warning=permission_check_failed tool=${call.name} id=${call.id} error=${why}`);
    const text = `"${call.name}" was not run: the permission rules could not be asked (${why}). ${goOnWithout}`;
    return { kind: 'deny', text, why: `since the permission rules could not be asked (${why})` };
  }
}

const goOnWithout = 'Go on without it, and say in your answer what is left to be done.';

async function ask(request: ApprovalRequest, { approve, context, onAsk, log }: AdmissionParts): Promise<Refusal | undefined> {
  if (context.signal.aborted) return undefined;
  onAsk(request);
  const refused = `"${request.call.name}" was not run: ${request.reason}`;
  const unanswered = {
    text: `${refused}, and nobody can answer here. ${goOnWithout}`,
    why: `since ${request.reason} and nobody can answer here`,
  };
  if (approve === undefined) return unanswered;
  try {
    const { isAllowed, feedback } = await untilAborted(approve(request, context), context.signal);
    // Whatever is not a plain yes is none.
    if (isAllowed === true) return undefined;
    const hasWords = typeof feedback === 'string' && feedback.trim() !== '';
    return { text: `${refused}, and it was denied${hasWords ? `: ${feedback}` : '.'}` };
  } catch (error) {
    if (!context.signal.aborted) log(`warning=approval_failed error=${messageOf(error)}`);
    return unanswered;
  }
}

function remarkOn({ call, changedBy }: Judged): string | undefined {
  if (changedBy.length === 0) return undefined;
  const names = changedBy.map((name) => `"${name}"`).join(', ');
  const args = oneLine(call.arguments, mostArgumentsChars);
  return `The ${changedBy.length === 1 ? 'hook' : 'hooks'} ${names} changed the arguments of this call to ${args}`;
}
