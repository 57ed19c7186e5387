// The command line of one shot: which conversation, how far it may act, what stands around it. Starts nothing.
import { type PlanMode, planModeSchema } from '../schema/plan-mode.ts';
import { type EdgeSettings, type ReasoningEffort, reasoningEfforts } from '../schema/settings.ts';
import { splitList } from '../schema/split-list.ts';
import { edgeFlags, parseEdges } from './edge-arguments.ts';
import { everyFlags, type OutputFormat, outputFormats, parseId } from './every-command.ts';
import { type CommandLine, dollars, type FlagForm, oneOf, usageError, type Word, wholeNumber } from './flags.ts';

/** Which conversation a run goes on with. `resume` without an id: the newest of the workspace. */
export type SessionWish =
  | { readonly kind: 'new' | 'continue' | 'none' }
  | { readonly kind: 'resume'; readonly id: string | null };

export interface PrintOptions {
  /** null: it has to be piped in. */
  readonly prompt: string | null;
  readonly format: OutputFormat;
  /** Whether a person at the terminal may be asked: not with `-p`, and not where a program reads along. */
  readonly mayAsk: boolean;
  readonly session: SessionWish;
  readonly mode: PlanMode;
  readonly provider: (typeof providers)[number];
  readonly model: string | null;
  readonly reasoningEffort: ReasoningEffort | null;
  readonly fallbackModels: readonly string[];
  readonly maxTurns: number;
  readonly maxTokensTotal: number | null;
  /** US dollars. */
  readonly maxCostUsd: number | null;
  readonly sandbox: (typeof levels)[number];
  readonly edges: EdgeSettings;
  /** The JSON Schema of the final message, or its file; null: none. */
  readonly outputSchema: string | null;
  /** The file that the run is written to; null: none. */
  readonly transcript: string | null;
  readonly allowInsecureEndpoint: boolean;
  readonly cwd: string | null;
}

const providers = ['auto', 'openai', 'anthropic', 'scripted'] as const;
const levels = ['auto', 'process', 'readonly', 'none'] as const;

export const printFlags: Readonly<Record<string, FlagForm>> = {
  ...everyFlags,
  ...edgeFlags,
  print: { takes: 'nothing', short: 'p' },
  resume: { takes: 'optional' },
  continue: { takes: 'nothing' },
  'no-session': { takes: 'nothing' },
  plan: { takes: 'nothing' },
  mode: { takes: 'value' },
  provider: { takes: 'value' },
  model: { takes: 'value' },
  'reasoning-effort': { takes: 'value' },
  'fallback-models': { takes: 'value', again: 'adds' },
  'max-turns': { takes: 'value' },
  'max-tokens-total': { takes: 'value' },
  'max-cost-usd': { takes: 'value' },
  sandbox: { takes: 'value' },
  'output-schema': { takes: 'value', again: 'refused' },
  transcript: { takes: 'value' },
  'allow-insecure-endpoint': { takes: 'nothing' },
};

/** Throws CLI_USAGE naming the flag, the value and what is expected. */
export function parsePrint({ flags, words }: CommandLine): PrintOptions {
  refuseAnswers(words);
  const { id, prompts } = takeResumedId(words);
  if (prompts.length > 1) throw usageError(`"${prompts[1]}": expected one prompt; put it in quotes`);
  const format = oneOf('--output-format', flags.get('output-format') ?? 'text', outputFormats);
  return {
    prompt: prompts[0] ?? null,
    format,
    mayAsk: !flags.has('print') && format === 'text',
    session: parseSessionWish(flags, id),
    mode: parseMode(flags),
    provider: oneOf('--provider', flags.get('provider') ?? 'auto', providers),
    model: flags.get('model') ?? null,
    reasoningEffort: parseEffort(flags),
    fallbackModels: splitList(flags.get('fallback-models')),
    maxTurns: wholeNumber('--max-turns', flags.get('max-turns') ?? '50', '0 for no limit'),
    maxTokensTotal: wholeNumber('--max-tokens-total', flags.get('max-tokens-total') ?? '0', '0 for no limit') || null,
    maxCostUsd: dollars('--max-cost-usd', flags.get('max-cost-usd') ?? '0') || null,
    sandbox: oneOf('--sandbox', flags.get('sandbox') ?? 'auto', levels),
    edges: parseEdges(flags),
    outputSchema: flags.get('output-schema')?.trim() ?? null,
    transcript: flags.get('transcript') ?? null,
    allowInsecureEndpoint: flags.has('allow-insecure-endpoint'),
    cwd: flags.get('cwd') ?? null,
  };
}

/** `--otel-content true`, as the Action's input has it, is no flag with a task to do. After `-p` it may be one. */
function refuseAnswers(words: readonly Word[]): void {
  const answer = words.find(({ text, after, isLiteral }) => !isLiteral && /^(?:true|false)$/i.test(text) && takesNothing(after));
  if (answer !== undefined) throw usageError(`--${answer.after} "${answer.text}": this flag takes no value`);
}

function takesNothing(flag: string | null): boolean {
  return flag !== null && flag !== 'print' && printFlags[flag]?.takes === 'nothing';
}

/** Ids are hexadecimal, and people mistype them; a prompt of one such word has to stand elsewhere than after `--resume`. */
const idLike = /^(?=.*\d)[0-9a-z]{4,}$/i;

/** `--resume <id>` and `--resume <prompt>` look the same: it is an id when it looks like one, or when there is another word for the prompt. */
function takeResumedId(words: readonly Word[]): { readonly id: string | null; readonly prompts: readonly string[] } {
  const candidate = words.find(({ after, isLiteral }) => after === 'resume' && !isLiteral);
  const isId = candidate !== undefined && (idLike.test(candidate.text) || words.length > 1);
  const prompts = words.filter((word) => !isId || word !== candidate);
  return { id: isId ? candidate.text : null, prompts: prompts.map(({ text }) => text) };
}

function parseSessionWish(flags: CommandLine['flags'], id: string | null): SessionWish {
  const given = ['resume', 'continue', 'no-session'].filter((name) => flags.has(name));
  if (given.length > 1) throw usageError(`--${given.join(' and --')}: expected one of them`);
  switch (given[0]) {
    case 'resume': {
      const named = flags.get('resume') ?? id;
      return { kind: 'resume', id: named === null ? null : parseId('--resume', named) };
    }
    case 'continue':
      return { kind: 'continue' };
    case 'no-session':
      return { kind: 'none' };
    default:
      return { kind: 'new' };
  }
}

function parseEffort(flags: CommandLine['flags']): ReasoningEffort | null {
  const effort = flags.get('reasoning-effort') ?? null;
  return effort === null ? null : oneOf('--reasoning-effort', effort, reasoningEfforts);
}

function parseMode(flags: CommandLine['flags']): PlanMode {
  const mode = oneOf('--mode', flags.get('mode') ?? (flags.has('plan') ? 'plan' : 'default'), planModeSchema.options);
  if (flags.has('plan') && mode !== 'plan') throw usageError(`--plan and --mode "${mode}": expected one of them`);
  return mode;
}
