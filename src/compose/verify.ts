// `verify_command` in a run: whether it is run, and what the result has to say of that. How it is run is policy/hooks/verify-hook.ts.
import type { Hook } from '../engine/ports.ts';
import { type Collected, nothingCollected } from '../github/change/collect-changes.ts';
import { verifyFailed } from '../github/publish/decide-conclusion.ts';
import { createVerifyHook, type VerifyOutcome } from '../policy/hooks/verify-hook.ts';
import { oneLine } from '../schema/one-line.ts';
import { isFinished, type RunError, type RunResult } from '../schema/run.ts';
import type { EdgeParts, Verification } from './edge-parts.ts';

export interface VerifiedHooks {
  readonly hooks: readonly Hook[];
  /** The result of a run with what its verification came to; `collected`: where the work is measured. */
  verified(result: RunResult, collected?: Collected): RunResult;
}

const maxNameChars = 120;
const maxLineChars = 200;

/** Nothing without a command. Where it may not be run, a run that changed something says so. */
export function composeVerify({ settings, tools, verification, world, outgoing }: EdgeParts): VerifiedHooks {
  const { verifyCommand: command, verifyAttempts: attempts } = settings;
  if (command === null) return { hooks: [], verified: (result) => result };
  const name = outgoing.redactor.outward(oneLine(command, maxNameChars)).replaceAll('`', "'");
  const { begin, end, workAtEnd, hooks } = verification === undefined ? watchCalls() : { ...verification, hooks: [] };
  const { startProcess } = tools;
  if (startProcess === undefined || !tools.mayExecute) {
    const note = `\`${name}\` (verify_command) was not run: this run may run no commands.`;
    const verified: VerifiedHooks['verified'] = (result, collected = nothingCollected) =>
      workAtEnd(collected).isChanged ? withNote(result, note) : result;
    return { hooks, verified };
  }
  const { clock } = world;
  const { hook, takeOutcome } = createVerifyHook({ command, attempts, startProcess, clock, begin, end, log: outgoing.log });
  return {
    hooks: [...hooks, hook],
    verified: (result, collected = nothingCollected) => {
      const outcome = withoutSecrets(takeOutcome(), outgoing.redactor.outward);
      const { isChanged, isVerified } = workAtEnd(collected);
      return isChanged ? withOutcome(result, { name, outcome, isVerified }) : result;
    },
  };
}

/** Where nobody measures the workspace: what has run may have changed something, unless its tool only reads. */
function watchCalls(): Verification & Pick<VerifiedHooks, 'hooks'> {
  const changing = new Set<string>();
  let isChanged = false;
  const hook: Hook = {
    name: 'verify_command',
    preToolUse: async ({ call, tool }) => {
      if (tool !== undefined && tool.effect !== 'read') changing.add(call.id);
      return undefined;
    },
    postToolUse: async ({ call }) => {
      if (changing.delete(call.id)) isChanged = true;
      return undefined;
    },
  };
  return {
    hooks: [hook],
    begin: async () => isChanged,
    end: async () => undefined,
    workAtEnd: () => {
      const work = { isChanged, isVerified: true };
      changing.clear();
      isChanged = false;
      return work;
    },
  };
}

/** What the command printed goes to people, too; a key is taken out before it is cut. */
function withoutSecrets(outcome: VerifyOutcome, outward: (text: string) => string): VerifyOutcome {
  return outcome.kind === 'failed' ? { ...outcome, end: outward(outcome.end), printed: outward(outcome.printed) } : outcome;
}

interface Told {
  readonly name: string;
  readonly outcome: VerifyOutcome;
  readonly isVerified: boolean;
}

/** Work that is done is not finished before it is verified, whatever kept it from that. A run that was stopped says so itself. */
function withOutcome(result: RunResult, told: Told): RunResult {
  const { outcome, isVerified, name } = told;
  if (outcome.kind === 'passed' && isVerified) return withNote(result, `\`${name}\` (verify_command) passed.`);
  const isDone = isFinished(result);
  const message = describe(told, isDone);
  if (!isDone) return withNote(result, message);
  return { ...result, error: { code: verifyFailed, message, ...(outcome.kind === 'failed' ? adviceOn(outcome) : {}) } };
}

function describe({ name, outcome }: Told, isDone: boolean): string {
  switch (outcome.kind) {
    case 'passed':
      return `\`${name}\` (verify_command) passed, but what was left running changed files after that.`;
    case 'not_run': {
      const why = isDone ? 'what was left running changed files when the agent was done' : 'the run ended before that';
      return `\`${name}\` (verify_command) was not run: ${why}.`;
    }
    case 'cut_short':
      return `\`${name}\` (verify_command) was cut short.`;
    case 'failed': {
      const times = outcome.attempts === 1 ? '' : `, run ${outcome.attempts} times`;
      const end = `${outcome.end}${isDone ? '' : ' when it was last run'}`;
      return `\`${name}\` (verify_command${times}) ${end}${lastLineOf(outcome)}`;
    }
  }
}

type Failed = VerifyOutcome & { readonly kind: 'failed' };

/** A closing bracket tells nobody anything. */
function lastLineOf({ printed }: Failed): string {
  const line = printed.split('\n').findLast((each) => /\p{L}/u.test(each));
  return line === undefined ? '.' : `; the last line that it printed: ${oneLine(line, maxLineChars)}`;
}

function adviceOn({ isUnfit, printed }: Failed): Pick<RunError, 'hint' | 'detail'> {
  const hint =
    'This is rather a fault of the configuration than of the work: correct `verify_command`, or install what it needs before the run.';
  return { ...(isUnfit ? { hint } : {}), ...(printed === '' ? {} : { detail: printed }) };
}

function withNote(result: RunResult, note: string): RunResult {
  return { ...result, notes: [...(result.notes ?? []), note] };
}
