// A second opinion on the order of Messages requests, as strict as the vendor's own check.
import { z } from 'zod';

const blockSchema = z.looseObject({ type: z.string(), cache_control: z.unknown().optional() });
const schema = z.object({
  system: z.array(blockSchema).optional(),
  tools: z.array(z.looseObject({ cache_control: z.unknown().optional() })).optional(),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.array(blockSchema).min(1) })).min(1),
});
type Block = z.infer<typeof blockSchema>;

/** Throws for a request that the vendor would refuse: alternation, pairing and order of results, blank text, cache marks. */
export function checkAnthropicOrder(body: unknown): void {
  const { system = [], tools = [], messages } = schema.parse(body);
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== (index % 2 === 0 ? 'user' : 'assistant')) {
      throw new Error(`message ${index} is of role ${message.role}`);
    }
    checkResults(message.content, open);
    open = message.content
      .filter((block) => block.type === 'tool_use')
      .map(
        (block) =>
          z.object({ id: z.string().regex(/^[a-zA-Z0-9_-]+$/), input: z.record(z.string(), z.unknown()) }).parse(block).id,
      );
  }
  if (open.length > 0) {
    throw new Error(`calls without a result: ${open.join()}`);
  }
  checkMarks([...system, ...messages.flatMap((message) => message.content)], [...system, ...tools]);
}

function checkResults(content: readonly Block[], open: readonly string[]): void {
  const results = content.filter((block) => block.type === 'tool_result');
  if (content.slice(0, results.length).some((block) => block.type !== 'tool_result')) {
    throw new Error('a result behind something else');
  }
  const answered = results.map((block) => String(block.tool_use_id));
  if (answered.join() !== open.join()) {
    throw new Error(`results for ${answered.join()} where ${open.join()} were called`);
  }
  for (const block of content) {
    if (block.type === 'text' && !/\S/.test(String(block.text))) {
      throw new Error('a blank text block');
    }
  }
}

function checkMarks(blocks: readonly Block[], heads: readonly { cache_control?: unknown }[]): void {
  const marks = [...blocks, ...heads.filter((head) => !blocks.some((block) => block === head))].filter(
    (block) => block.cache_control !== undefined,
  );
  if (marks.length > 4) {
    throw new Error(`${marks.length} cache marks`);
  }
  if (blocks.some((block) => block.cache_control !== undefined && /thinking/.test(block.type))) {
    throw new Error('a cache mark on thinking');
  }
}
