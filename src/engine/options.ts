// What an engine can be told, and the reading of it: defaults, bounds, one error that names every bad value. Starts nothing.
import type { PriceOf } from '../schema/cost.ts';
import { Harness9Error } from '../schema/error.ts';
import { noUsage } from '../schema/message.ts';
import { type PlanMode, planModeSchema } from '../schema/plan-mode.ts';
import { isRecord } from '../schema/record.ts';
import type { EngineEvent } from '../schema/run.ts';
import { systemClock } from '../schema/system-clock.ts';
import { estimateTokens } from '../schema/token-estimate.ts';
import type { Clock, Log } from '../schema/world.ts';
import {
  amount,
  findOptionProblems,
  findProblem,
  functionKind,
  type OptionKind,
  oneOf,
  portWith,
  wholeNumber,
} from './option-problems.ts';
import type {
  Approve,
  BackgroundWork,
  Compactor,
  EngineObserver,
  FollowUp,
  Hook,
  LLMProvider,
  MemoryNudge,
  OutputSchema,
  PermissionChecker,
  PromptBuilder,
  RunContext,
  Session,
  TodoStore,
  TokenEstimate,
  ToolRegistry,
} from './ports.ts';
import { guardLog } from './watchers.ts';

/** All optional; numbers are whole and not negative, 0 means no limit. Durations in ms. Source: spec §5.5, DESIGN.md Defaults. */
export interface EngineOptions {
  /** Model calls of one run; the last one is the wrap-up. Default 50. */
  readonly maxTurns?: number | undefined;
  /** For tools that declare no limit of their own. Default 60,000. */
  readonly toolTimeoutMs?: number | undefined;
  readonly maxConcurrentTools?: number | undefined;
  /** Of the whole run, wrap-up included. */
  readonly timeoutMs?: number | undefined;
  /** Kept back from `timeoutMs` for the wrap-up; at most a quarter of it. Default 30,000. */
  readonly wrapUpReserveMs?: number | undefined;
  /** Input and output tokens of all calls of a run. */
  readonly maxTokensTotal?: number | undefined;
  /** US dollars of all calls of a run, by `priceOf`, which must know the model's price then. The one number that need not be whole. */
  readonly maxCostUsd?: number | undefined;
  /** What calls cost. Default: nobody knows, and the result says nothing of it. */
  readonly priceOf?: PriceOf | undefined;
  /** Tokens that fit the model; 0 = not known. A function is asked before each call: more may be known then. */
  readonly contextWindow?: number | (() => number) | undefined;
  /** The same call with the same result in so many turns is told to the model; going on with it ends the run. Default 3. */
  readonly maxRepeats?: number | undefined;
  readonly session?: Session | undefined;
  readonly compactor?: Compactor | undefined;
  /** How far a run may act without asking. Default `default`: every tool runs. */
  readonly planMode?: PlanMode | undefined;
  /** The rules for calls. Default: none, and the plan mode decides. */
  readonly permissions?: PermissionChecker | undefined;
  /** Asked in this order, before the rules; `postToolUse` in reverse. */
  readonly hooks?: readonly Hook[] | undefined;
  /** Who is asked where a hook, a rule or the plan mode asks. Default: nobody, and what would be asked is denied. */
  readonly approve?: Approve | undefined;
  /** Not before it has ended does the run end. */
  readonly background?: BackgroundWork | undefined;
  /** The context of the call that begins these runs: they are watched as a part of it, and spend what it may spend. */
  readonly within?: RunContext | undefined;
  /** Shown at the end of each request, kept with the session, and gone on with until it is done. */
  readonly todoStore?: TodoStore | undefined;
  /** `everyTurns` 0 or `text` '' = never, which is the default. */
  readonly memoryNudge?: MemoryNudge | undefined;
  readonly promptBuilder?: PromptBuilder | undefined;
  readonly observer?: EngineObserver | undefined;
  readonly onEvent?: ((event: EngineEvent) => void) | undefined;
  readonly log?: Log | undefined;
  readonly clock?: Clock | undefined;
  /** Uniform in [0, 1): by how much the waits before retries differ. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Asked last when the model is done: after the background, the to-do list and the hooks. */
  readonly followUp?: FollowUp | undefined;
  /** What the final message must fit: the model is told, and may mend it once. Not in the plan mode `plan`. */
  readonly outputSchema?: OutputSchema | undefined;
  /** Whoever has the model's own tokenizer gives it here. Default: `schema/token-estimate.ts`. */
  readonly estimateTokens?: TokenEstimate | undefined;
}

/** Those without a default: absent, what they do is not done. */
type Undefaulted = 'priceOf' | 'compactor' | 'permissions' | 'approve' | 'background' | 'todoStore' | 'outputSchema';

/** Options with every default filled in. The session is the engine's own: it may be another one for each run. */
export type EngineSettings = Pick<EngineOptions, Undefaulted> & {
  readonly [Name in Exclude<keyof EngineOptions, Undefaulted | 'session' | 'contextWindow'>]-?: NonNullable<EngineOptions[Name]>;
} & { readonly contextWindow: () => number };

const numberDefaults = {
  maxTurns: 50,
  toolTimeoutMs: 60_000,
  maxConcurrentTools: 0,
  timeoutMs: 0,
  wrapUpReserveMs: 30_000,
  maxTokensTotal: 0,
  maxCostUsd: 0,
  maxRepeats: 3,
};

const memoryNudgeKind: OptionKind = {
  accepts: (value) => isRecord(value) && wholeNumber.accepts(value.everyTurns) && typeof value.text === 'string',
  expected: 'an object with everyTurns, a whole number of 0 or more, and text, a string',
};

const hookFunctions = ['preToolUse', 'postToolUse', 'turnComplete', 'stop'] as const;

/** One without any of the functions is a misspelt one: what it was to hold back would pass. */
function isHook(value: unknown): boolean {
  if (!isRecord(value) || typeof value.name !== 'string' || value.name.trim() === '') return false;
  if (value.timeoutMs !== undefined && !wholeNumber.accepts(value.timeoutMs)) return false;
  const given = hookFunctions.map((name) => value[name]).filter((one) => one !== undefined);
  return given.length > 0 && given.every((one) => typeof one === 'function');
}

const hooksKind: OptionKind = {
  accepts: (value) => Array.isArray(value) && value.every(isHook),
  expected: `a list of objects with a name, at least one of the functions ${hookFunctions.join(', ')}, and timeoutMs, if any, a whole number of 0 or more`,
};

const outputSchemaKind: OptionKind = {
  accepts: (value) => isRecord(value) && isRecord(value.schema) && typeof value.check === 'function',
  expected: 'an object with schema, a JSON Schema that is an object, and the function check',
};

const windowKind: OptionKind = {
  accepts: (value) => typeof value === 'function' || wholeNumber.accepts(value),
  expected: `${wholeNumber.expected}, or a function that gives one`,
};

const contextKind: OptionKind = { accepts: isRecord, expected: 'the context that a call was given as `run`' };

const kinds: Readonly<Record<keyof EngineOptions, OptionKind>> = {
  maxTurns: wholeNumber,
  toolTimeoutMs: wholeNumber,
  maxConcurrentTools: wholeNumber,
  timeoutMs: wholeNumber,
  wrapUpReserveMs: wholeNumber,
  maxTokensTotal: wholeNumber,
  maxCostUsd: amount,
  priceOf: functionKind,
  contextWindow: windowKind,
  maxRepeats: wholeNumber,
  session: portWith('getMessages', 'addMessages'),
  compactor: portWith('compact'),
  planMode: oneOf(planModeSchema.options),
  permissions: portWith('check'),
  hooks: hooksKind,
  approve: functionKind,
  background: portWith('takeEnded', 'waitForAll', 'stop'),
  within: contextKind,
  todoStore: portWith('getItems', 'restore'),
  memoryNudge: memoryNudgeKind,
  promptBuilder: portWith('build'),
  observer: portWith('onInteractionStart', 'onInteractionEnd', 'onTurnStart', 'onTurnEnd'),
  onEvent: functionKind,
  log: functionKind,
  clock: portWith('now', 'monotonicMs', 'sleep'),
  random: functionKind,
  followUp: functionKind,
  outputSchema: outputSchemaKind,
  estimateTokens: functionKind,
};

type NumberOption = keyof typeof numberDefaults;

const silentObserver: EngineObserver = {
  onInteractionStart: (context) => context,
  onInteractionEnd: () => {},
  onTurnStart: (context) => context,
  onTurnEnd: () => {},
};

/** What an engine cannot be without. */
interface Needed {
  readonly provider: LLMProvider;
  readonly registry: ToolRegistry;
  readonly workDir: string;
}

const neededKinds: Readonly<Record<keyof Needed, OptionKind>> = {
  provider: portWith('generate', 'generateStream'),
  registry: portWith('getAvailableTools', 'execute'),
  workDir: {
    accepts: (value) => typeof value === 'string' && value.trim() !== '',
    expected: 'the path of a directory',
  },
};

/** Fills in the defaults. Throws a Harness9Error that names every port and option that is missing, unknown, of another kind or out of bounds. */
export function parseEngineOptions(needed: Needed, options: EngineOptions): EngineSettings {
  const { provider, registry, workDir } = needed;
  const problems = [
    ...findProblem('provider', provider, neededKinds.provider),
    ...findProblem('registry', registry, neededKinds.registry),
    ...findProblem('workDir', workDir, neededKinds.workDir),
    ...findOptionProblems(options, kinds),
    ...findPriceProblem(options),
  ];
  if (problems.length > 0) {
    throw badOption(`The engine cannot start: ${problems.join('; ')}.`, 'Mend what createEngine gets; 0 means no limit.');
  }
  const { contextWindow = 0 } = options;
  const number = (name: NumberOption): number => options[name] ?? numberDefaults[name];
  return {
    maxTurns: number('maxTurns'),
    toolTimeoutMs: number('toolTimeoutMs'),
    maxConcurrentTools: number('maxConcurrentTools'),
    timeoutMs: number('timeoutMs'),
    wrapUpReserveMs: number('wrapUpReserveMs'),
    maxTokensTotal: number('maxTokensTotal'),
    maxCostUsd: number('maxCostUsd'),
    priceOf: options.priceOf,
    contextWindow: typeof contextWindow === 'function' ? contextWindow : () => contextWindow,
    maxRepeats: number('maxRepeats'),
    compactor: options.compactor,
    planMode: options.planMode ?? 'default',
    permissions: options.permissions,
    hooks: [...(options.hooks ?? [])],
    approve: options.approve,
    background: options.background,
    within: options.within ?? {},
    todoStore: options.todoStore,
    memoryNudge: options.memoryNudge ?? { everyTurns: 0, text: '' },
    promptBuilder: options.promptBuilder ?? { build: () => defaultSystemPrompt(workDir) },
    observer: options.observer ?? silentObserver,
    onEvent: options.onEvent ?? (() => {}),
    log: guardLog(options.log ?? (() => {})),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    followUp: options.followUp ?? (async () => undefined),
    outputSchema: options.outputSchema,
    estimateTokens: options.estimateTokens ?? estimateTokens,
  };
}

/** A budget in dollars holds nothing where the price of a call is not known. */
function findPriceProblem(options: EngineOptions): readonly string[] {
  // What is no object is told of already, and so is what is no function.
  const { maxCostUsd = 0, priceOf = () => undefined }: EngineOptions = isRecord(options) ? options : {};
  if (maxCostUsd === 0 || typeof priceOf !== 'function' || priceOf(noUsage, undefined) !== undefined) return [];
  return ["maxCostUsd is given, expected priceOf with it that knows the price of the run's own model"];
}

/** Checks what a setter was given as the option of that name is checked. Throws a Harness9Error. */
export function requireOption(name: 'session' | 'planMode', value: unknown): void {
  const problems = findProblem(name, value, kinds[name]);
  if (problems.length > 0) throw badOption(`The engine stays as it was: ${problems.join('; ')}.`, 'Mend what the setter gets.');
}

function badOption(message: string, hint: string): Harness9Error {
  return new Harness9Error({ code: 'ENGINE_BAD_OPTION', message, hint });
}

function defaultSystemPrompt(workDir: string): string {
  return (
    `You are harness9, a coding agent that works on its own in the directory ${workDir}. Nobody can answer questions while you ` +
    'work: look things up with the tools you have, change what the task needs and no more, check that it works, and end with ' +
    'a short answer that says what you did and what is left.'
  );
}
