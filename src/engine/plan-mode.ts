// What each plan mode lets a run do: the tools it offers, the calls it asks about, what the model is told. Pure.
import type { ToolCall, ToolDefinition } from '../schema/message.ts';
import type { PlanMode } from '../schema/plan-mode.ts';

/** What becomes of a call: `reason` is for whoever is asked, `text` for the model. */
export type Rule =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask'; readonly reason: string }
  | { readonly kind: 'deny'; readonly text: string };

/** The last line of every request in the mode `plan`; the system prompt stays what it is, so that caches hit. */
export const planModeText =
  'This run is in plan mode: look and plan, change nothing. Your last message is the plan: numbered steps, the files that each one ' +
  'touches, and how the result will be checked. The changes are made after the plan is approved.';

/** What runs unasked in a mode that asks, and the name of the rule that asks: a tool that says nothing of its effect may have any. */
const confirmed: Partial<Record<PlanMode, { readonly unasked: readonly ToolDefinition['effect'][]; readonly reason: string }>> = {
  auto_edit: { unasked: ['read', 'execute'], reason: 'in the mode auto_edit every edit is confirmed before it is made' },
  accept_edits: { unasked: ['read', 'write'], reason: 'in the mode accept_edits every command is confirmed before it runs' },
};

/** The tools that the model gets to see. */
export function offeredTools(tools: readonly ToolDefinition[], mode: PlanMode): readonly ToolDefinition[] {
  return mode === 'plan' ? tools.filter(({ effect }) => effect === 'read') : tools;
}

/** What becomes of a call. Where a mode holds something back, a name that is no tool's own is refused: it may be an alias that only execute knows. */
export function decideCall(mode: PlanMode, call: ToolCall, tools: readonly ToolDefinition[]): Rule {
  if (mode === 'default') return { kind: 'allow' };
  const tool = tools.find(({ name }) => name === call.name);
  if (mode === 'plan') return tool?.effect === 'read' ? { kind: 'allow' } : { kind: 'deny', text: readsOnly(call, tools) };
  if (tool === undefined) return { kind: 'deny', text: notByThisName(call, tools) };
  const rule = confirmed[mode];
  return rule === undefined || rule.unasked.includes(tool.effect) ? { kind: 'allow' } : { kind: 'ask', reason: rule.reason };
}

function readsOnly(call: ToolCall, tools: readonly ToolDefinition[]): string {
  return (
    `"${call.name}" was not run: this run is in plan mode, in which nothing is changed. Put the change into the plan instead; ` +
    `it is made after the plan is approved. Tools that may be called: ${namesOf(offeredTools(tools, 'plan'))}.`
  );
}

function notByThisName(call: ToolCall, tools: readonly ToolDefinition[]): string {
  return `"${call.name}" was not run: there is no tool of exactly this name. Tools that may be called: ${namesOf(tools)}.`;
}

function namesOf(tools: readonly ToolDefinition[]): string {
  return tools.map(({ name }) => name).join(', ') || 'none';
}
