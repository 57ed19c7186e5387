// The tools of running servers as tools of ours: which are offered, under which names, with which schemas, and what a call comes to.
import { cutAtLine } from '../schema/cut-at-line.ts';
import { hasCode } from '../schema/error.ts';
import { type ToolDefinition, textPart } from '../schema/message.ts';
import { isRecord } from '../schema/record.ts';
import { chooseTools, matches, maxDescriptionBytes, type Offered, quoted } from './choose-tools.ts';
import { describeFault } from './describe-fault.ts';
import type { ListedTool } from './list-tools.ts';
import { type Rendered, renderResult } from './render-result.ts';
import type { RunningServer } from './running-server.ts';
import type { Sdk } from './sdk.ts';
import type { McpServer } from './server.ts';
import { nameTools } from './tool-names.ts';
import { createSchemaReader } from './tool-schema.ts';

/** A tool as registries take them. */
export interface McpTool {
  readonly definition: ToolDefinition;
  execute(args: unknown, context: { readonly signal: AbortSignal }): Promise<Rendered>;
}

export interface DefinedTools {
  /** Sorted by name. */
  readonly tools: readonly McpTool[];
  /** One line for each that is left out though it was asked for, and for each pattern that means no tool. */
  readonly notices: readonly string[];
}

const maxConditionChars = 1_000;
/** Of 64 characters each. */
const namesInLine = 4;

/** Chooses and names the tools of all servers. */
export function defineTools(running: readonly RunningServer[], sdk: Sdk): DefinedTools {
  const { offered, notices } = chooseTools(running, createSchemaReader(sdk));
  const names = nameTools(offered.map(({ running: { parts }, tool }) => ({ server: parts.server.name, tool: tool.name })));
  for (const server of running) tellNames(server, offered, names);
  const tools = offered.map((each, index) => defineTool(each, names[index] ?? ''));
  return { tools: tools.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1)), notices };
}

/** Rules are written with these names, and some cannot be guessed. A line of the log holds some of them. */
function tellNames(server: RunningServer, offered: readonly Offered[], names: readonly string[]): void {
  const own = names.filter((_, index) => offered[index]?.running === server);
  for (let at = 0; at < own.length; at += namesInLine) server.parts.log(`tools: ${own.slice(at, at + namesInLine).join(', ')}`);
}

function defineTool({ running, tool, input }: Offered, name: string): McpTool {
  const { server } = running.parts;
  const definition: ToolDefinition = {
    name,
    description: describe(tool, input, { server, name }),
    inputSchema: input.schema,
    place: 'main',
    effect: matches(tool.name, server.readOnlyTools) ? 'read' : 'execute',
    timeoutMs: server.timeoutMs,
  };
  return { definition, execute: (args, { signal }) => execute({ running, tool, name }, args, signal) };
}

function describe(tool: ListedTool, input: Offered['input'], as: { readonly server: McpServer; readonly name: string }): string {
  const isSame = as.name === `mcp__${as.server.name}__${tool.name}`;
  const texts = [
    cutAtLine(tool.description.trim(), maxDescriptionBytes),
    isSame ? '' : `The MCP server ${quoted(as.server.name)} calls it ${quoted(tool.name)}.`,
    input.dropped === undefined
      ? ''
      : `The arguments must also fit this JSON Schema: ${input.dropped.slice(0, maxConditionChars)}`,
  ];
  return texts.filter((text) => text !== '').join('\n\n');
}

/** Never rejects: what went wrong is an answer that says so. */
async function execute(
  { running, tool, name }: { readonly running: RunningServer; readonly tool: ListedTool; readonly name: string },
  args: unknown,
  signal: AbortSignal,
): Promise<Rendered> {
  const given = args ?? {};
  if (!isRecord(given)) return failure(`${name}: the arguments are no JSON object. Nothing was done.`);
  try {
    return renderResult(await running.call(tool.name, given, signal));
  } catch (error) {
    if (signal.aborted) return failure(`${name}: ${describeAbort(signal, running.parts.server)}; the server was told.`);
    return failure(`${name}: ${describeFault(error, running.parts)}`);
  }
}

/** The engine's own words about its time limit come after ours, so ours have to tell it. */
function describeAbort({ reason }: AbortSignal, { timeoutMs }: McpServer): string {
  return hasCode(reason, 'TIME_IS_UP') ? `no answer within ${timeoutMs / 1000} s` : 'cancelled';
}

function failure(text: string): Rendered {
  return { output: [textPart(text)], isError: true };
}
