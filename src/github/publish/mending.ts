// How to go on after a run that did not do all: the order that does, and which faults it cannot mend, because their cause is in the workflow, the key or the account; pure.
import type { RunPlan } from '../../schema/gate.ts';
import { inlineCode } from './inline-code.ts';

const prefixes: readonly string[] = ['CONFIG_', 'HOOKS_', 'INPUT_', 'PASS_ENV_', 'PROVIDER_KEY_', 'SCRIPT_'];
const codes: readonly string[] = [
  'BASE_BRANCH_MISSING',
  'CREDENTIALS_IN_REACH',
  'GIT_NOT_FOUND',
  'MCP_CONFIG',
  'MCP_START',
  'NODE_TOO_OLD',
  'NOT_A_CHECKOUT',
  'OUTPUT_SCHEMA',
  'PERMISSION_RULES',
  'PROVIDER_AUTH',
  'PROVIDER_BASE_URL',
  'PROVIDER_FALLBACK',
  'PROVIDER_INSECURE_ENDPOINT',
  'PROVIDER_NOT_FOUND',
  'PROVIDER_QUOTA',
  'PROVIDER_SCRIPT',
  'PROVIDER_UNKNOWN',
  'RUNNER_INCOMPLETE',
  'SANDBOX_UNAVAILABLE',
  'TRACING_ENDPOINT',
  'TRACING_HEADERS',
];

const endsOfTalks: readonly string[] = [
  'MODEL_REFUSED',
  'MODEL_CONTENT_FILTER',
  'PROVIDER_CONTENT_FILTER',
  'PROVIDER_CONTEXT_OVERFLOW',
];

/** What to do after a fault of this kind that a person has to mend first. */
export const mendFirst = 'Once that is mended, comment again.';

/** What to reply to have a run gone on with, as code; a plan is gone on with as a plan, and not carried out. */
export function goOnOrder({ handle, mode }: Pick<RunPlan, 'handle' | 'mode'>): string {
  return inlineCode(mode === 'plan' ? `${handle} plan continue` : `${handle} continue`);
}

/** What to reply to have nothing of the conversation gone on with, as code; null: no order begins a plan anew. */
export function beginOrder({ handle, mode }: Pick<RunPlan, 'handle' | 'mode'>): string | null {
  return mode === 'plan' ? null : inlineCode(`${handle} new …`);
}

/** Whether what was said stands in the way: refused by the model or by a filter, or too long. Asked to go on it would end in the same way. */
export function isStuck(code: string | undefined): boolean {
  return code !== undefined && endsOfTalks.includes(code);
}

/** Whether the same run would fail in the same way until a person changed something outside of the thread. */
export function needsMending(code: string | undefined): boolean {
  return code !== undefined && (codes.includes(code) || prefixes.some((prefix) => code.startsWith(prefix)));
}
