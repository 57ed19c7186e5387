// A second opinion on the order of Chat Completions messages, as strict as the strictest server.
import { z } from 'zod';

const schema = z.object({
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.union([z.string().regex(/\S/), z.array(z.unknown()).min(1), z.null()]),
      tool_call_id: z.string().optional(),
      tool_calls: z
        .array(
          z.object({
            id: z.string().min(1),
            type: z.literal('function'),
            function: z.object({ name: z.string(), arguments: z.string() }),
          }),
        )
        .min(1)
        .optional(),
    }),
  ),
});

/** Throws when a call lacks its result, a result its call, or an argument text is no JSON object. */
export function checkOpenAIOrder(body: unknown): void {
  let open: string[] = [];
  for (const message of schema.parse(body).messages) {
    if (message.role === 'tool') {
      if (message.tool_call_id === undefined || !open.includes(message.tool_call_id)) {
        throw new Error(`a result for ${message.tool_call_id}, which is not open`);
      }
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) {
      throw new Error(`calls without a result: ${open.join()}`);
    }
    if (message.content === null && message.tool_calls === undefined) {
      throw new Error('a message that says nothing');
    }
    open = (message.tool_calls ?? []).map((call) => {
      z.record(z.string(), z.unknown()).parse(JSON.parse(call.function.arguments));
      return call.id;
    });
  }
  if (open.length > 0) {
    throw new Error(`calls without a result: ${open.join()}`);
  }
}
