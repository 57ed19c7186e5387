// The hooks of one run: each is asked within its time, its answer is read before it counts, and what fails is told. Decides no call.
import { z } from 'zod';
import { canonicalJson } from '../schema/canonical-json.ts';
import { messageOf } from '../schema/error.ts';
import type { PostToolUse, PreToolUse, Stop, TurnComplete } from '../schema/hook.ts';
import { argumentsOf, partSchema, type ToolCall, type ToolResult } from '../schema/message.ts';
import { oneLine } from '../schema/one-line.ts';
import type { Clock, Log } from '../schema/world.ts';
import { isTimeUp, withinTime } from './abort.ts';
import type { Note } from './noted-calls.ts';
import { parseAnswer, plainObject } from './parse-answer.ts';
import type { CallContext, Hook } from './ports.ts';

/** A hook may run a project's tests; whoever needs longer says so. */
const defaultTimeoutMs = 60_000;
/** An error may be a page long, and it is told on a line. */
const mostWhyChars = 500;
/** Of a hook's reason, in the line about all that was denied. */
const mostToldChars = 120;

/** What the hooks say of a call together: `reason` is for whoever is asked, `text` for the model, `why` for people. */
export type Opinion =
  | { readonly kind: 'none' }
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask'; readonly reason: string }
  | { readonly kind: 'deny'; readonly text: string; readonly why?: string };

/** A call as the hooks left it. `changedBy`: the names of those that changed its arguments. */
export interface Judged {
  readonly call: ToolCall;
  readonly changedBy: readonly string[];
  readonly opinion: Opinion;
}

/** What came of asking one hook. `why`: what it did instead of answering, as a clause. */
type Heard<T> =
  | { readonly kind: 'answer'; readonly answer: T | undefined }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'interrupted' };

type Kind = 'preToolUse' | 'postToolUse' | 'turnComplete' | 'stop';

/** What is asked, and how the answer is read; a reader throws for what is none. */
interface Question<T> {
  readonly kind: Kind;
  readonly context: CallContext;
  readonly ask: (hook: Hook, context: CallContext) => Promise<unknown> | undefined;
  readonly read: (answer: unknown) => T | undefined;
}

interface HookParts {
  readonly hooks: readonly Hook[];
  /** A call in its tool's own words. */
  readonly canonical: (call: ToolCall) => ToolCall;
  readonly clock: Clock;
  readonly log: Log;
  readonly note: Note;
}

// A member that nobody knows is a mistake: `descision: 'deny'` must not let the call through.
const preToolUseSchema = plainObject({
  decision: z.enum(['allow', 'deny', 'ask']).optional(),
  reason: z.string().optional(),
  arguments: z.record(z.string(), z.json().optional()).optional(),
}).optional();
const postToolUseSchema = plainObject({
  output: z.array(partSchema).readonly().optional(),
  isError: z.boolean().optional(),
}).optional();
const words = z.string().regex(/\S/, 'expected words').optional();
const stopSchema = plainObject({ message: words, note: words })
  .refine(({ message, note }) => message !== undefined || note !== undefined, 'expected message or note')
  .optional();
/** Whoever only looks may resolve with anything. */
const turnCompleteSchema = z.object({ note: words }).optional().catch(undefined);

/** As people know them (`.github/HOOKS.md`). */
const events: Readonly<Record<Kind, string>> = {
  preToolUse: 'PreToolUse',
  postToolUse: 'PostToolUse',
  turnComplete: 'TurnComplete',
  stop: 'Stop',
};

/** What a failure means, for the note that the run's result has of it. */
const consequences: Readonly<Record<Kind, string>> = {
  preToolUse: 'what it could not judge was denied',
  postToolUse: 'the results stayed as they were',
  turnComplete: 'the run went on without it',
  stop: 'the run was ended all the same',
};

export class Hooks {
  readonly #parts: HookParts;
  readonly #sentBack = new Map<Hook, number>();
  readonly #failed: Readonly<Record<Kind, Set<Hook>>> = {
    preToolUse: new Set(),
    postToolUse: new Set(),
    turnComplete: new Set(),
    stop: new Set(),
  };

  constructor(parts: HookParts) {
    this.#parts = parts;
  }

  /** Asks them in order, each about the call as those before left it, until one denies. One that fails denies. */
  async preToolUse(event: PreToolUse, context: CallContext): Promise<Judged> {
    let judged: Judged = { call: event.call, changedBy: [], opinion: { kind: 'none' } };
    for (const hook of this.#with('preToolUse')) {
      const { call } = judged;
      const heard = await this.#hear(hook, {
        kind: 'preToolUse',
        context,
        ask: (one, inTime) => one.preToolUse?.({ ...event, call }, inTime),
        read: (given) => {
          const answer = parseAnswer(preToolUseSchema, given);
          return answer && { ...answer, call: this.#rewritten(call, answer.arguments) };
        },
      });
      if (heard.kind === 'interrupted') return judged;
      if (heard.kind === 'failed') return { ...judged, opinion: unjudged(hook, call, heard.why) };
      if (heard.answer === undefined) continue;
      const { decision, reason, call: next } = heard.answer;
      const changedBy = next.arguments === call.arguments ? judged.changedBy : [...judged.changedBy, hook.name];
      const opinion = opinionAfter(judged.opinion, opinionOf(hook, call, { decision, reason }));
      judged = { call: next, changedBy, opinion };
      if (opinion.kind === 'deny') return judged;
    }
    return judged;
  }

  /** The result as they leave it, asked in reverse. One that fails leaves it as it is. */
  async postToolUse(event: PostToolUse, context: CallContext): Promise<ToolResult> {
    let { result } = event;
    for (const hook of this.#with('postToolUse').toReversed()) {
      const before = result;
      const heard = await this.#hear(hook, {
        kind: 'postToolUse',
        context,
        ask: (one, inTime) => one.postToolUse?.({ ...event, result: before }, inTime),
        read: (given) => parseAnswer(postToolUseSchema, given),
      });
      if (heard.kind !== 'answer') continue;
      const { output = before.output, isError = before.isError } = heard.answer ?? {};
      result = { ...before, output, isError };
    }
    return result;
  }

  /** Tells them, one after another. */
  async turnComplete(event: TurnComplete, context: CallContext): Promise<void> {
    for (const hook of this.#with('turnComplete')) {
      const ask: Question<undefined>['ask'] = (one, inTime) => one.turnComplete?.(event, inTime);
      const read = (given: unknown) => turnCompleteSchema.parse(given);
      const heard = await this.#hear(hook, { kind: 'turnComplete', context, ask, read });
      if (heard.kind === 'answer') this.#tell(hook, 'turnComplete', heard.answer?.note);
    }
  }

  /** The first message that sends the model on. Interrupted: not all of them could be asked. */
  async stop(
    event: Pick<Stop, 'turn' | 'finalMessage'>,
    context: CallContext,
  ): Promise<{ readonly kind: 'goOn'; readonly message: string } | { readonly kind: 'end' | 'interrupted' }> {
    for (const hook of this.#with('stop')) {
      const sentBack = this.#sentBack.get(hook) ?? 0;
      const heard = await this.#hear(hook, {
        kind: 'stop',
        context,
        ask: (one, inTime) => one.stop?.({ ...event, sentBack }, inTime),
        read: (given) => parseAnswer(stopSchema, given),
      });
      if (heard.kind === 'interrupted') {
        if (isTimeUp(context.signal.reason)) this.#parts.note(unheardNote(hook));
        return heard;
      }
      if (heard.kind === 'failed') continue;
      this.#tell(hook, 'stop', heard.answer?.note);
      const message = heard.answer?.message;
      if (message === undefined) continue;
      this.#sentBack.set(hook, sentBack + 1);
      return { kind: 'goOn', message };
    }
    return { kind: 'end' };
  }

  #with(kind: Kind): readonly Hook[] {
    return this.#parts.hooks.filter((hook) => hook[kind] !== undefined);
  }

  /** Asks one hook. Never rejects; an abort ends the waiting, whether the hook listens or not. */
  async #hear<T>(hook: Hook, { kind, context, ask, read }: Question<T>): Promise<Heard<T>> {
    const { signal, run } = context;
    if (signal.aborted) return { kind: 'interrupted' };
    const limitMs = hook.timeoutMs ?? defaultTimeoutMs;
    try {
      const given = await withinTime<unknown>({ clock: this.#parts.clock, limitMs, signal }, (inTime) =>
        ask(hook, { signal: inTime, run }),
      );
      return { kind: 'answer', answer: read(given) };
    } catch (error) {
      if (signal.aborted) return { kind: 'interrupted' };
      const why = isTimeUp(error) ? `did not answer within ${limitMs / 1000} s` : `failed: ${clauseOf(error)}`;
      this.#tellFailure(hook, kind, why);
      return { kind: 'failed', why };
    }
  }

  #tellFailure(hook: Hook, kind: Kind, why: string): void {
    const { log, note } = this.#parts;
    log(`warning=hook_failed hook=${hook.name} event=${events[kind]} error=${why}`);
    if (this.#failed[kind].has(hook)) return;
    this.#failed[kind].add(hook);
    note(`The hook ${nameOf(hook, kind)} ${why}; ${consequences[kind]}.`);
  }

  /** What a hook has to say to people. */
  #tell(hook: Hook, kind: Kind, words: string | undefined): void {
    if (words !== undefined) this.#parts.note(`The hook ${nameOf(hook, kind)}: ${oneLine(words, mostWhyChars)}`);
  }

  /** Whatever the tool's own words for the arguments are, they stay a call of the same tool, with the same id. */
  #rewritten(call: ToolCall, args: Readonly<Record<string, unknown>> | undefined): ToolCall {
    // The same arguments, spelt otherwise or not, are no change.
    if (args === undefined || canonicalJson(args) === canonicalJson(argumentsOf(call))) return call;
    const { canonical } = this.#parts;
    return { ...canonical({ ...call, arguments: JSON.stringify(args) }), id: call.id, name: call.name };
  }
}

/** A name may say itself what the hook is asked about. */
function nameOf({ name }: Hook, kind: Kind): string {
  return name.startsWith(events[kind]) ? `"${name}"` : `"${name}" (${events[kind]})`;
}

/** More words follow. */
function clauseOf(error: unknown): string {
  return oneLine(messageOf(error), mostWhyChars).replace(/\.$/, '');
}

function opinionOf(
  hook: Hook,
  { name }: ToolCall,
  { decision, reason = '' }: { readonly decision: 'allow' | 'deny' | 'ask' | undefined; readonly reason: string | undefined },
): Opinion {
  const why = reason.trim();
  switch (decision) {
    case 'deny':
      return {
        kind: 'deny',
        text: `"${name}" was not run: the hook "${hook.name}" denied it${why === '' ? '.' : `: ${why}`}`,
        why: `by the hook "${hook.name}"${why === '' ? '' : ` (${oneLine(why, mostToldChars)})`}`,
      };
    case 'ask':
      return {
        kind: 'ask',
        reason: `the hook "${hook.name}" wants it confirmed${why === '' ? '' : ` (${oneLine(why, mostWhyChars)})`}`,
      };
    case 'allow':
      return { kind: 'allow' };
    default:
      return { kind: 'none' };
  }
}

/** A denial counts at once, and who asks is not overruled by one that allows. */
function opinionAfter(before: Opinion, next: Opinion): Opinion {
  if (next.kind === 'none') return before;
  return before.kind === 'ask' && next.kind !== 'deny' ? before : next;
}

function unheardNote(hook: Hook): string {
  return `The time of the run was over before the hook ${nameOf(hook, 'stop')} had said whether the run may end.`;
}

function unjudged(hook: Hook, { name }: ToolCall, why: string): Opinion {
  const text =
    `"${name}" was not run: the hook "${hook.name}" ${why}. What a hook cannot judge is denied: go on without it, and say in your answer ` +
    'what is left to be done.';
  // People are told of the failure itself.
  return { kind: 'deny', text };
}
