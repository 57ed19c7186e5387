// What is wrong with the options that an embedder gave, in words: unknown names, numbers out of bounds, ports that lack a function. Pure.
import { isRecord } from '../schema/record.ts';
import type { EngineOptions } from './options.ts';

/** What each option must be. A list: an object with these functions; an empty one: a function itself. */
const kinds: Readonly<Record<keyof EngineOptions, 'number' | readonly string[]>> = {
  maxTurns: 'number',
  toolTimeoutMs: 'number',
  maxConcurrentTools: 'number',
  timeoutMs: 'number',
  wrapUpReserveMs: 'number',
  maxTokensTotal: 'number',
  contextWindow: 'number',
  session: ['getMessages', 'addMessages'],
  compactor: ['compact'],
  promptBuilder: ['build'],
  observer: ['onInteractionStart', 'onInteractionEnd', 'onTurnStart', 'onTurnEnd'],
  onEvent: [],
  log: [],
  clock: ['now', 'monotonicMs', 'sleep'],
  followUp: [],
  tail: [],
  estimateTokens: [],
  repairHistory: [],
};

/** One text for each problem: the option, the value seen, what is expected. */
export function findOptionProblems(options: unknown): readonly string[] {
  if (!isRecord(options)) return [`the options are ${describeValue(options)}, expected an object`];
  return Object.entries(options).flatMap(([name, value]) => {
    if (!isOption(name)) return [`"${name}" is no option (there are ${Object.keys(kinds).join(', ')})`];
    const expected = value === undefined ? undefined : missingIn(value, kinds[name]);
    return expected === undefined ? [] : [`${name} is ${describeValue(value)}, expected ${expected}`];
  });
}

function isOption(name: string): name is keyof EngineOptions {
  return Object.hasOwn(kinds, name);
}

/** What is expected, when `value` is not that. */
function missingIn(value: unknown, kind: 'number' | readonly string[]): string | undefined {
  if (kind === 'number') {
    return Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : 'a whole number of 0 or more';
  }
  if (kind.length === 0) return typeof value === 'function' ? undefined : 'a function';
  const hasAll = isRecord(value) && kind.every((method) => typeof value[method] === 'function');
  return hasAll ? undefined : `an object with the functions ${kind.join(', ')}`;
}

function describeValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value !== 'object') return String(value);
  return Array.isArray(value) ? 'a list' : `an object with ${Object.keys(value).join(', ') || 'nothing'}`;
}
