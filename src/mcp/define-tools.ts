// The tools of running servers as tools of ours: which are offered, under which names, with which schemas, and what a call comes to.
import { cutAtLine } from '../schema/cut-at-line.ts';
import { hasCode } from '../schema/error.ts';
import { type ToolDefinition, textPart } from '../schema/message.ts';
import { oneLine } from '../schema/one-line.ts';
import { isRecord } from '../schema/record.ts';
import { describeFault } from './describe-fault.ts';
import type { ListedTool } from './list-tools.ts';
import { type Rendered, renderResult } from './render-result.ts';
import type { RunningServer } from './running-server.ts';
import type { Sdk } from './sdk.ts';
import type { McpServer } from './server.ts';
import { isUnchanged, nameTools } from './tool-names.ts';
import { createSchemaReader, type InputSchema } from './tool-schema.ts';

/** A tool as registries take them. */
export interface McpTool {
  readonly definition: ToolDefinition;
  execute(args: unknown, context: { readonly signal: AbortSignal }): Promise<Rendered>;
}

export interface DefinedTools {
  /** Sorted by name. */
  readonly tools: readonly McpTool[];
  /** One line for each that is left out, and for each pattern that means no tool. */
  readonly notices: readonly string[];
}

/** Every tool is sent with every request. */
const maxTools = 200;
const maxDescriptionBytes = 2_048;
const maxConditionChars = 1_000;
/** Of the lines about one server's tools. */
const maxNotices = 10;

/** Chooses and names the tools of all servers. */
export function defineTools(running: readonly RunningServer[], sdk: Sdk): DefinedTools {
  const readSchema = createSchemaReader(sdk);
  const chosen = running.map((server) => chooseTools(server, readSchema));
  const offered = chosen.flatMap(({ tools }) => tools);
  const names = nameTools(offered.map(({ running: { parts }, tool }) => ({ server: parts.server.name, tool: tool.name })));
  const tools = offered.map((each, index) => defineTool(each, names[index] ?? ''));
  return {
    tools: tools.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1)),
    notices: chosen.flatMap(({ notices }) => notices),
  };
}

type GoodSchema = Extract<InputSchema, { ok: true }>;

interface Offered {
  readonly running: RunningServer;
  readonly tool: ListedTool;
  readonly input: GoodSchema;
}

function chooseTools(running: RunningServer, readSchema: (value: unknown) => InputSchema) {
  const { server } = running.parts;
  const listed = running.listed.tools;
  const wanted = listed.filter(({ name }) => matches(name, server.tools));
  const usable: Offered[] = [];
  const leftOut: string[] = [];
  for (const tool of wanted) {
    const input = readSchema(tool.inputSchema);
    if (tool.needsTask) leftOut.push(`the tool ${quoted(tool.name)} is left out: it works only as a task of its own`);
    else if (!input.ok) leftOut.push(`the tool ${quoted(tool.name)} is left out: ${input.why}`);
    else usable.push({ running, tool, input });
  }
  if (usable.length > maxTools) {
    leftOut.push(
      `${usable.length - maxTools} of its tools are left out: at most ${maxTools} are offered; name those you need in \`tools\``,
    );
  }
  const idle = [...server.tools.filter((glob) => glob !== '*'), ...server.readOnlyTools.filter((glob) => glob !== '*')]
    .filter((glob) => !listed.some(({ name }) => matches(name, [glob])))
    .map((glob) => `none of its tools is named ${quoted(glob)}`);
  const problems = [...running.listed.problems, ...idle, ...leftOut];
  return {
    tools: usable.slice(0, maxTools),
    notices: shorten(problems).map((problem) => `MCP server ${quoted(server.name)}: ${problem}`),
  };
}

function shorten(problems: readonly string[]): readonly string[] {
  if (problems.length <= maxNotices) return problems;
  return [...problems.slice(0, maxNotices - 1), `${problems.length - maxNotices + 1} more problems with its tools`];
}

/** `*` is any text. */
function matches(name: string, globs: readonly string[]): boolean {
  return globs.some((glob) => new RegExp(`^${glob.split('*').map(RegExp.escape).join('.*')}$`, 's').test(name));
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

function describe(tool: ListedTool, input: GoodSchema, as: { readonly server: McpServer; readonly name: string }): string {
  const isSame = isUnchanged(tool.name) && isUnchanged(as.server.name) && as.name.endsWith(`__${tool.name}`);
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

function quoted(text: string): string {
  return `"${oneLine(text, 100)}"`;
}
