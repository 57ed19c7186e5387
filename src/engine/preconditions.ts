// What a run is begun with, checked: the prompt, the system prompt, the signal. What is broken throws before anything starts.
import { z } from 'zod';
import { Harness9Error } from '../schema/error.ts';
import { type Message, type Part, partSchema, textPart } from '../schema/message.ts';
import { isRecord } from '../schema/record.ts';
import type { PromptBuilder } from './ports.ts';

const promptSchema = z.union([z.string().transform((text) => [textPart(text)]), z.array(partSchema)]);

/** Throws ENGINE_BAD_PROMPT for what is neither a text nor a list of parts, ENGINE_EMPTY_PROMPT for one that says nothing. */
export function parsePrompt(prompt: string | readonly Part[]): Message {
  const { data: content } = promptSchema.safeParse(prompt);
  if (content === undefined) {
    throw new Harness9Error({
      code: 'ENGINE_BAD_PROMPT',
      message: `The prompt is ${Array.isArray(prompt) ? 'a list with something else than parts' : typeof prompt}, expected a text or a list of parts.`,
      hint: 'A part is { type: "text", text } or { type: "image", mediaType, data }.',
    });
  }
  const says = content.some((part) => part.type !== 'text' || part.text.trim() !== '');
  if (says) return { role: 'user', content };
  throw new Harness9Error({ code: 'ENGINE_EMPTY_PROMPT', message: 'The prompt is empty.', hint: 'Say what is to be done.' });
}

/** The system prompt, built once for this run. Throws ENGINE_BAD_PROMPT when the builder gives no text. */
export function buildSystemPrompt(builder: PromptBuilder): Message {
  const text: unknown = builder.build();
  if (typeof text === 'string') return { role: 'system', content: [textPart(text)] };
  throw new Harness9Error({
    code: 'ENGINE_BAD_PROMPT',
    message: `promptBuilder.build gave ${text instanceof Promise ? 'a promise' : String(text)}, expected a text.`,
    hint: 'Load what the prompt needs before the run; build only puts it together.',
  });
}

/** The signal of a run, or one that never aborts. Throws ENGINE_BAD_SIGNAL for anything else. */
export function parseSignal(signal: AbortSignal | undefined): AbortSignal {
  if (signal === undefined) return new AbortController().signal;
  const isSignal = isRecord(signal) && typeof signal.aborted === 'boolean' && typeof signal.addEventListener === 'function';
  if (isSignal) return signal;
  throw new Harness9Error({
    code: 'ENGINE_BAD_SIGNAL',
    message: `The second argument of a run is ${signal === null ? 'null' : typeof signal}, expected an AbortSignal.`,
    hint: 'Pass controller.signal itself, or leave it out.',
  });
}
