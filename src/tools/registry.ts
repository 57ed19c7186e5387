// Tools by name: every call gets an answer, an unknown tool and bad arguments too. Decides no permission and no time limit.
import { z } from 'zod';
import { Harness9Error, hintOf, messageOf } from '../schema/error.ts';
import { cutMiddle } from '../schema/head-and-tail.ts';
import type { Part, ToolCall, ToolDefinition, ToolResult } from '../schema/message.ts';
import { partSchema, textPart, toolResultSchema } from '../schema/message.ts';
import { requireNode24 } from '../schema/node-version.ts';
import { foreignTools } from './call-aliases.ts';
import { canonicalArguments, canonicalCall, findDefinition, foldToolName } from './canonical-call.ts';
import { parseArguments } from './parse-arguments.ts';
import type { Tool, ToolContext, ToolOutcome } from './tool.ts';
import { failure } from './tool.ts';

/** The last fence for tools that do not cut themselves; ours stay below it (D9). */
const maxOutputBytes = 50_000;

/** Matches the engine's `ToolRegistry` by shape, with `register` for whoever builds it. */
export interface Registry {
  /** Throws `TOOL_DUPLICATE` when the name is taken. */
  register(tool: Tool): void;
  /** Sorted by name, the same array order in every turn: prompt caches hang on it. */
  getAvailableTools(): readonly ToolDefinition[];
  /** The call in the words of the tool that it means; `execute` knows by itself. */
  canonicalCall(call: ToolCall): ToolCall;
  execute(call: ToolCall, context: ToolContext): Promise<ToolResult>;
}

/** An empty registry. */
export function createRegistry(): Registry {
  requireNode24();
  const tools = new Map<string, Tool>();
  let definitions: readonly ToolDefinition[] = [];
  return {
    register: (tool) => {
      const { name } = tool.definition;
      if (tools.has(name)) {
        throw new Harness9Error({
          code: 'TOOL_DUPLICATE',
          message: `a tool named "${name}" is registered already`,
          hint: 'rename one of them',
        });
      }
      tools.set(name, tool);
      definitions = [...tools.values()].map((each) => each.definition).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    getAvailableTools: () => definitions,
    canonicalCall: (call) => canonicalCall(call, definitions),
    execute: async (call, context) => {
      const { output, isError, exit } = await answer(call, context, { tools, definitions });
      const result = { toolCallId: call.id, output: capParts(partsOf(output)), isError };
      return exit === undefined ? result : { ...result, exit };
    },
  };
}

/** What the model is told about a name that no tool has. */
export function describeUnknownTool(name: string, definitions: readonly ToolDefinition[]): string {
  const names = definitions.map((definition) => definition.name).join(', ');
  const plain = foldToolName(name);
  const foreign = Object.hasOwn(foreignTools, plain) ? foreignTools[plain] : undefined;
  const isHere = foreign !== undefined && definitions.some((definition) => definition.name === foreign.instead);
  const instead = isHere ? ` ${foreign.hint}` : '';
  return `There is no tool named "${name.slice(0, 100)}".${instead} Available: ${names === '' ? 'none' : names}.`;
}

interface Registered {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly definitions: readonly ToolDefinition[];
}

/** Never rejects: what is thrown, and what is no answer at all, becomes one that says so. */
async function answer(call: ToolCall, context: ToolContext, { tools, definitions }: Registered): Promise<ToolOutcome> {
  const tool = tools.get(findDefinition(call.name, definitions)?.name ?? '');
  if (tool === undefined) {
    return failure(describeUnknownTool(call.name, definitions));
  }
  const { name } = tool.definition;
  try {
    const outcome = outcomeSchema.safeParse(await run(call, tool, context));
    return outcome.success ? outcome.data : failure(`${name}: the tool answered with neither a text nor a result.`);
  } catch (error) {
    return failure(`${name}: ${[messageOf(error), hintOf(error)].filter((text) => text !== undefined).join('. ')}`);
  }
}

/** What tools written elsewhere may answer: a text alone is an output that succeeded (spec §5.4). */
const outcomeSchema = z.union([
  z.string().transform((output) => ({ output, isError: false })),
  z.object({
    output: z.union([z.string(), z.array(partSchema)]),
    isError: z.boolean().default(false),
    exit: toolResultSchema.shape.exit,
  }),
]);

async function run(call: ToolCall, tool: Tool, context: ToolContext): Promise<unknown> {
  const { definition } = tool;
  const parsed = parseArguments(call.arguments);
  if (!parsed.ok) return failure(`${definition.name}: ${parsed.problem}. Nothing was done.`);
  if (context.signal.aborted) return failure(`${definition.name}: cancelled before it began.`);
  return await tool.execute(canonicalArguments(parsed.value, definition), { ...context, callId: call.id });
}

function partsOf(output: ToolOutcome['output']): readonly Part[] {
  return typeof output === 'string' ? [textPart(output)] : output;
}

/** Every text part gets what the ones before it left over; images are not counted. */
function capParts(parts: readonly Part[]): readonly Part[] {
  let left = maxOutputBytes;
  return parts.map((part) => {
    if (part.type !== 'text') return part;
    const text = cutMiddle(part.text, Math.max(left, 0));
    left -= Buffer.byteLength(text);
    return { ...part, text };
  });
}
