// Hooks whose asking is a span: a slow one, and a check that takes minutes, would else be a gap in the turn. Answers and failures go through.
import type { Attributes } from '@opentelemetry/api';
import type { TurnComplete } from '../../schema/hook.ts';
import type { CallContext } from '../../schema/model-call.ts';
import { errorTypeOf } from './error-type.ts';
import type { Hook } from './ports.ts';
import type { Spans } from './spans.ts';

/** Most askings come to nothing at once, since the hook is for other calls: of these there is nothing to tell. */
const noticedMs = 100;

/** `hook` with a span for each time that it said something, failed, or took its time; its words are in none. */
export function traceHook(hook: Hook, spans: Spans): Hook {
  const { name, timeoutMs, preToolUse, postToolUse, turnComplete, stop } = hook;
  const look = async (event: TurnComplete, context: CallContext) => (await turnComplete?.call(hook, event, context)) ?? undefined;
  const traced =
    <Event, Answer>(
      event: string,
      ask: (this: Hook, event: Event, context: CallContext) => Promise<Answer>,
      attributesOf: (answer: Answer) => Attributes,
    ) =>
    async (asked: Event, context: CallContext): Promise<Answer> => {
      const attributes = { 'harness9.hook.name': name, 'harness9.hook.event': event };
      const { run, signal } = context;
      const open = spans.begin({ role: 'hook', name: `hook ${name}`, run, attributes, signal });
      try {
        const answer = await ask.call(hook, asked, { ...context, run: open.within(run) });
        if (answer === undefined && spans.elapsedMs(open) < noticedMs) spans.drop(open);
        spans.end(open, { attributes: () => attributesOf(answer) });
        return answer;
      } catch (error) {
        spans.end(open, { errorType: errorTypeOf(error) });
        throw error;
      }
    };
  return {
    name,
    timeoutMs,
    ...(preToolUse && {
      preToolUse: traced('PreToolUse', preToolUse, (answer) => ({ 'harness9.hook.decision': answer?.decision })),
    }),
    ...(postToolUse && { postToolUse: traced('PostToolUse', postToolUse, () => ({})) }),
    ...(turnComplete && { turnComplete: traced('TurnComplete', look, () => ({})) }),
    ...(stop && {
      stop: traced('Stop', stop, (answer) => ({
        'harness9.hook.decision': answer?.message === undefined ? undefined : 'send_back',
      })),
    }),
  };
}
