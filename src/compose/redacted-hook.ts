// A hook whose words are redacted where they enter the history: reasons, arguments, results, messages that send the model back, failures.
import type { Hook } from '../engine/ports.ts';
import { Harness9Error, messageOf } from '../schema/error.ts';
import { cutMiddle } from '../schema/head-and-tail.ts';
import type { StopAnswer } from '../schema/hook.ts';
import type { Part } from '../schema/message.ts';
import { redactMembers } from './redact-json.ts';
import { redactParts } from './redact-parts.ts';

/** As much as a tool may say (tools/registry.ts); a hook's words reach the history past the registry. */
const maxBytes = 50_000;

/**
 * `hook` with registered secrets taken out of all that it says, why it failed included, and cut to what a history bears. The arguments that it
 * writes as well: the model is told them, as it is told its own.
 */
export function redactHook(hook: Hook, redact: (text: string) => string): Hook {
  const { preToolUse, postToolUse, turnComplete, stop } = hook;
  const secrets = (text: string): string => cutMiddle(redact(text), maxBytes);
  const fit = (part: Part): Part => (part.type === 'text' ? { ...part, text: cutMiddle(part.text, maxBytes) } : part);
  const hear = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw withoutSecrets(error, secrets);
    }
  };
  return {
    ...hook,
    ...(preToolUse && {
      preToolUse: async (event, context) => {
        const answer = await hear(preToolUse.call(hook, event, context));
        if (answer === undefined) return undefined;
        const { reason, arguments: args } = answer;
        return {
          ...answer,
          ...(reason === undefined ? {} : { reason: secrets(reason) }),
          ...(args === undefined ? {} : { arguments: redactMembers(args, redact) }),
        };
      },
    }),
    ...(postToolUse && {
      postToolUse: async (event, context) => {
        const answer = await hear(postToolUse.call(hook, event, context));
        return answer?.output === undefined ? answer : { ...answer, output: redactParts(answer.output, redact).map(fit) };
      },
    }),
    ...(turnComplete && {
      turnComplete: async (event, context) => {
        const look = async () => (await turnComplete.call(hook, event, context)) ?? undefined;
        return redactWords(await hear(look()), secrets);
      },
    }),
    ...(stop && {
      stop: async (event, context) => {
        const answer = await hear(stop.call(hook, event, context));
        return redactWords(answer, secrets);
      },
    }),
  };
}

/** An answer that has nothing but words. */
function redactWords(answer: StopAnswer | undefined, secrets: (text: string) => string): StopAnswer | undefined {
  if (answer === undefined) return undefined;
  const { message, note } = answer;
  return { message: message && secrets(message), note: note && secrets(note) };
}

/** The error itself where there is nothing to hide: the engine knows an end of time by it. */
function withoutSecrets(error: unknown, secrets: (text: string) => string): unknown {
  const message = messageOf(error);
  const told = secrets(message);
  return told === message ? error : new Harness9Error({ code: 'HOOK_FAILED', message: told });
}
