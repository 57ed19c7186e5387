// The list of a server's tools, all pages of it, read leniently: one bad entry must not cost the others.
import { z } from 'zod';

/** `inputSchema` is as the server sent it, and scrubbed when it is read. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
  /** It works only as a task of its own, which is an experiment of the protocol that we have no part in. */
  readonly needsTask: boolean;
}

export interface Listed {
  readonly tools: readonly ListedTool[];
  /** What was wrong with the list, in words. */
  readonly problems: readonly string[];
}

export type PageRequest = { readonly method: 'tools/list'; readonly params: { readonly cursor?: string } };

/** A list that is longer than this has lost itself. */
const maxPages = 100;
const maxListed = 2_000;

const pageSchema = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });
const toolSchema = z.object({
  name: z.string().min(1).max(1_000),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  execution: z.object({ taskSupport: z.string().optional() }).optional().catch(undefined),
});

/**
 * All tools; of those with the same name the first one counts. Their texts pass `scrub`: they go to the model with every request. Rejects
 * with what `request` rejects with.
 */
export async function listTools(
  request: (page: PageRequest) => Promise<unknown>,
  scrub: (text: string) => string,
): Promise<Listed> {
  const { entries, problem } = await loadPages(request);
  const read = entries.map((entry) => readTool(entry, scrub));
  const named = read.filter((tool) => tool !== undefined);
  const tools = new Map(named.toReversed().map((tool) => [tool.name, tool]));
  const nameless = read.length - named.length;
  return {
    tools: named.filter((tool) => tools.get(tool.name) === tool),
    problems: [
      ...(nameless === 0 ? [] : [`${nameless} of its tools have no name that can be used`]),
      ...(problem === undefined ? [] : [problem]),
    ],
  };
}

interface Pages {
  readonly entries: readonly unknown[];
  readonly problem?: string;
}

async function loadPages(request: (page: PageRequest) => Promise<unknown>): Promise<Pages> {
  const entries: unknown[] = [];
  const seen = new Set<string>();
  let params: PageRequest['params'] = {};
  while (seen.size < maxPages && entries.length < maxListed) {
    const { data: page } = pageSchema.safeParse(await request({ method: 'tools/list', params }));
    if (page === undefined) return { entries, problem: 'it answered with what is no list of tools' };
    entries.push(...page.tools.slice(0, maxListed));
    const cursor = page.nextCursor ?? '';
    if (cursor === '') return { entries };
    if (seen.has(cursor)) break;
    seen.add(cursor);
    params = { cursor };
  }
  return { entries, problem: `its list of tools does not end; ${entries.length} entries of it were read` };
}

function readTool(entry: unknown, scrub: (text: string) => string): ListedTool | undefined {
  const { data } = toolSchema.safeParse(entry);
  if (data === undefined || scrub(data.name) !== data.name) return undefined;
  const { name, title, description, inputSchema, execution } = data;
  const needsTask = execution?.taskSupport === 'required';
  return { name, description: scrub(description ?? title ?? ''), inputSchema, needsTask };
}
