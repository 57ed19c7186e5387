// How much a model is to think: `reasoning_effort` in the form that the model takes (the vendor's pages on thinking and on effort).
import type { OutputConfig, ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages';
import { isRecord } from '../../schema/record.ts';
import type { ReasoningEffort } from '../../schema/settings.ts';

/** What a request says about thinking; a model that refuses a part of it is asked without that part (refused-parameters.ts). */
export interface ThinkingForm {
  readonly thinking?: ThinkingConfigParam;
  readonly effort?: NonNullable<OutputConfig['effort']>;
}

/** Tokens: for models that take a number of them, and the room that others need. */
const budgets: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

/** The API takes no smaller budget. */
const leastBudget = 1024;

/** As much of a turn as this is about. */
interface SomeTurn {
  readonly role: string;
  readonly blocks: readonly { readonly block: { readonly type: string } }[];
}

/** `limit`: of the answer, of which thinking is a part. Nothing where nothing was asked for, and for a model that cannot think. */
export function renderThinking(model: string, wish: ReasoningEffort | undefined, limit: number): ThinkingForm {
  const way = wayOf(model);
  if (wish === undefined || way === 'none') return {};
  // These always think: the least is what comes nearest.
  const effort = way === 'always' && wish === 'none' ? 'low' : wish;
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  if (way === 'budget') return withBudget(budgets[effort], limit);
  return { thinking: { type: 'adaptive' }, effort: levelOf(effort, model) };
}

/** Tokens that thinking needs beside an answer: they count as output. */
export function roomForThinking(model: string, wish: ReasoningEffort | undefined): number {
  return wish === undefined || wish === 'none' || wayOf(model) === 'none' ? 0 : budgets[wish];
}

/** `body` with a thinking budget below its output limit, which may have been lowered since: at least half is for the answer. */
export function withinLimit(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { thinking, max_tokens: limit } = body;
  if (typeof limit !== 'number' || !isBudget(thinking) || thinking.budget_tokens < limit) return body;
  const { thinking: _thinking, ...rest } = body;
  return { ...rest, ...withBudget(thinking.budget_tokens, limit) };
}

/**
 * Whether thinking by budget may be on: calls that still wait for their end must have begun with it (they may come from another model, or
 * have lost it to the redactor). Judged by the first of them, so that it is the same from turn to turn.
 */
export function mayThink(turns: readonly SomeTurn[]): boolean {
  const isOfCalls = ({ role, blocks }: SomeTurn): boolean => role === 'assistant' || blocks[0]?.block.type === 'tool_result';
  const first = turns[turns.findLastIndex((turn) => !isOfCalls(turn)) + 1];
  if (first === undefined || !first.blocks.some(({ block }) => block.type === 'tool_use')) return true;
  return isThinking(first.blocks[0]?.block);
}

/** Whether a block is what the model thought, readable or not. */
export function isThinking(block: { readonly type: string } | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

function withBudget(wanted: number, limit: number): ThinkingForm {
  const budget = Math.min(wanted, Math.floor(limit / 2));
  return budget < leastBudget ? {} : { thinking: { type: 'enabled', budget_tokens: budget } };
}

function isBudget(thinking: unknown): thinking is { readonly type: 'enabled'; readonly budget_tokens: number } {
  return isRecord(thinking) && typeof thinking.budget_tokens === 'number';
}

function levelOf(effort: Exclude<ReasoningEffort, 'none'>, model: string): NonNullable<ThinkingForm['effort']> {
  if (effort === 'minimal') return 'low';
  const [major, minor] = versionOf(model) ?? [];
  // The level came with 4.7.
  return effort === 'xhigh' && major === 4 && minor === 6 ? 'high' : effort;
}

/**
 * From 4.6 on the model decides by the effort, and from 4.7 on it takes nothing else; from 3.7 on it takes a budget, and so do the other
 * vendors who speak this API.
 */
function wayOf(model: string): 'none' | 'budget' | 'adaptive' | 'always' {
  if (!/claude/i.test(model)) return 'budget';
  if (/fable|mythos/i.test(model)) return 'always';
  const [major, minor] = versionOf(model) ?? [];
  if (major === undefined || minor === undefined) return /claude-(v?\d|instant)/i.test(model) ? 'none' : 'budget';
  const version = major * 100 + minor;
  if (version < 307) return 'none';
  return version < 406 ? 'budget' : 'adaptive';
}

/** `claude-opus-4-6`, `claude-3-7-sonnet-20250219`, `anthropic/claude-sonnet-4.5`, `eu.anthropic.claude-sonnet-5-v1:0`; a date is no version. */
function versionOf(model: string): readonly [number, number] | undefined {
  const found = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/i.exec(model);
  return found === null ? undefined : [Number(found[1]), Number(found[2] ?? 0)];
}
