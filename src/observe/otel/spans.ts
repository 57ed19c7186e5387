// Spans between their begin and their one end: parents in the RunContext, times from our clock. Knows nothing of what they say.
import type { Attributes, Context, HrTime, Span, SpanKind, Tracer } from '@opentelemetry/api';
import type { RunContext } from '../../schema/model-call.ts';
import type { Clock } from '../../schema/world.ts';
import { errorTypeOf } from './error-type.ts';

type Role = 'agent' | 'turn' | 'chat' | 'tool' | 'hook';

const openSpan = Symbol('open span');

/** A span that has begun. In a RunContext it is the parent of what begins below. */
export class OpenSpan {
  readonly role: Role;
  readonly parent: OpenSpan | undefined;
  readonly context: Context;
  readonly span: Span;
  readonly startedMs: number;
  /** The session's id, for all that is begun within. */
  readonly conversationId: string | undefined;
  /** Of what is called off from outside: says why a span was left open. */
  readonly signal: AbortSignal | undefined;
  /** Calls that the model made in this turn, and those of them that reached their tool. */
  askedCalls = 0;
  toolCalls = 0;

  constructor(begin: SpanBegin, made: Pick<OpenSpan, 'parent' | 'context' | 'span' | 'startedMs'>) {
    this.role = begin.role;
    this.parent = made.parent;
    this.context = made.context;
    this.span = made.span;
    this.startedMs = made.startedMs;
    this.conversationId = begin.conversationId ?? made.parent?.conversationId;
    this.signal = begin.signal;
  }

  /** `run` for everything below this span. */
  within(run: RunContext): RunContext {
    return { ...run, [openSpan]: this };
  }
}

/** The innermost span that `run` was handed down by; undefined outside of all. */
export function openSpanOf(run: RunContext): OpenSpan | undefined {
  const value = run[openSpan];
  return value instanceof OpenSpan ? value : undefined;
}

interface SpanBegin {
  readonly role: Role;
  readonly name: string;
  readonly run: RunContext;
  readonly attributes: Attributes;
  readonly kind?: SpanKind;
  readonly conversationId?: string | undefined;
  readonly signal?: AbortSignal;
}

/** `attributes` is called after the end's time was taken. */
interface SpanEnd {
  readonly attributes?: () => Attributes;
  /** A code or a class; its being there makes the span a failed one. */
  readonly errorType?: string | undefined;
}

interface SpansParts {
  readonly api: Pick<typeof import('@opentelemetry/api'), 'trace' | 'ROOT_CONTEXT' | 'SpanStatusCode'>;
  readonly tracer: Tracer;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

/** All spans of one tracing. Whoever begins one ends it; what was forgotten ends with what it is within. */
export class Spans {
  readonly #parts: SpansParts;
  /** One offset for all, so that a child's times lie within its parent's, whatever the wall clock does meanwhile. */
  readonly #epochMs: number;
  readonly #open = new Set<OpenSpan>();

  constructor(parts: SpansParts) {
    this.#parts = parts;
    this.#epochMs = parts.clock.now().getTime() - parts.clock.monotonicMs();
  }

  begin(begin: SpanBegin): OpenSpan {
    const { api, tracer, clock } = this.#parts;
    const parent = openSpanOf(begin.run);
    const startedMs = clock.monotonicMs();
    const around = parent?.context ?? api.ROOT_CONTEXT;
    const { name, kind, attributes } = begin;
    const startTime = this.#timeOf(startedMs);
    const span = tracer.startSpan(name, { attributes, startTime, ...(kind === undefined ? {} : { kind }) }, around);
    const open = new OpenSpan(begin, { parent, context: api.trace.setSpan(around, span), span, startedMs });
    this.#open.add(open);
    return open;
  }

  /** Says more of a span that is open; what `attributes` throws is told and goes no further. */
  describe(open: OpenSpan, attributes: () => Attributes): void {
    try {
      open.span.setAttributes(attributes());
    } catch (error) {
      this.#parts.onFailure(error);
    }
  }

  /** Milliseconds since `open` began. */
  elapsedMs(open: OpenSpan): number {
    return this.#parts.clock.monotonicMs() - open.startedMs;
  }

  /** The first end counts; what is still open within ends before it. */
  end(open: OpenSpan, { attributes, errorType }: SpanEnd = {}): void {
    if (!this.#open.has(open)) return;
    this.#endWithin(open);
    this.#open.delete(open);
    const endTime = this.#timeOf(this.#parts.clock.monotonicMs());
    if (attributes !== undefined) this.describe(open, attributes);
    if (errorType !== undefined) {
      open.span.setAttribute('error.type', errorType);
      open.span.setStatus({ code: this.#parts.api.SpanStatusCode.ERROR });
    }
    open.span.end(endTime);
  }

  /** As if it had never begun. */
  drop(open: OpenSpan): void {
    this.#open.delete(open);
  }

  /** Ends whatever is open. */
  endAll(): void {
    for (const open of this.#open) this.#abandon(open);
  }

  /** A run that was begun by a call may outlive it (a sub-agent in the background), so only what a turn or a run itself began ends with it. */
  #endWithin(parent: OpenSpan): void {
    for (const open of this.#open) if (open.parent === parent && open.role !== 'agent') this.#abandon(open);
  }

  #abandon(open: OpenSpan): void {
    this.end(open, { errorType: open.signal?.aborted ? errorTypeOf(open.signal.reason) : 'abandoned' });
  }

  #timeOf(monotonicMs: number): HrTime {
    const ms = this.#epochMs + monotonicMs;
    return [Math.floor(ms / 1000), Math.floor((ms % 1000) * 1e6)];
  }
}
