// A hook whose words are redacted where they enter the history: reasons, results, messages that send the model back.
import type { Hook } from '../engine/ports.ts';
import type { Part } from '../schema/message.ts';
import { cutMiddle } from '../tools/head-and-tail.ts';
import { redactParts } from './redact-parts.ts';

/** As much as a tool may say (tools/registry.ts); a hook's words reach the history past the registry. */
const maxBytes = 50_000;

/** `hook` with registered secrets taken out of what it says, and cut to what a history bears. Arguments that it writes are the tool's matter. */
export function redactHook(hook: Hook, redact: (text: string) => string): Hook {
  const { preToolUse, postToolUse, stop } = hook;
  const secrets = (text: string): string => cutMiddle(redact(text), maxBytes);
  const fit = (part: Part): Part => (part.type === 'text' ? { ...part, text: cutMiddle(part.text, maxBytes) } : part);
  return {
    ...hook,
    ...(preToolUse && {
      preToolUse: async (event, context) => {
        const answer = await preToolUse.call(hook, event, context);
        return answer?.reason === undefined ? answer : { ...answer, reason: secrets(answer.reason) };
      },
    }),
    ...(postToolUse && {
      postToolUse: async (event, context) => {
        const answer = await postToolUse.call(hook, event, context);
        return answer?.output === undefined ? answer : { ...answer, output: redactParts(answer.output, redact).map(fit) };
      },
    }),
    ...(stop && {
      stop: async (event, context) => {
        const answer = await stop.call(hook, event, context);
        return answer && { message: secrets(answer.message) };
      },
    }),
  };
}
