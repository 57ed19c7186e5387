// Which of the tools that servers list are offered, and why the others are not. Pure.
import { oneLine } from '../schema/one-line.ts';
import type { ListedTool } from './list-tools.ts';
import type { RunningServer } from './running-server.ts';
import type { InputSchema, ReadSchema } from './tool-schema.ts';

export interface Offered {
  readonly running: RunningServer;
  readonly tool: ListedTool;
  readonly input: Extract<InputSchema, { ok: true }>;
}

export interface Choice {
  readonly offered: readonly Offered[];
  /** One line for each tool that is left out though it was asked for, and for each pattern that means no tool. */
  readonly notices: readonly string[];
}

/** Of all servers together: OpenAI takes 128 tools in a request, and ours are among them. */
const maxTools = 100;
/** Of one server's: to look through 2000 schemas, each as large as it may be, takes a minute. */
const maxLookedAt = 200;
/** Of all of them, which are sent with every request: about 50,000 tokens. */
const maxTotalBytes = 200 * 1024;
/** Of one tool. */
export const maxDescriptionBytes = 2_048;
/** Of the lines about one server's tools. */
const maxNotices = 10;

/** The tools of all servers that are asked for and can be used, as many as there is room for; servers in their order. */
export function chooseTools(servers: readonly RunningServer[], readSchema: ReadSchema): Choice {
  const room = { tools: maxTools, bytes: maxTotalBytes };
  const choices = servers.map((running) => chooseOf(running, readSchema, room));
  return { offered: choices.flatMap(({ offered }) => offered), notices: choices.flatMap(({ notices }) => notices) };
}

interface Room {
  tools: number;
  bytes: number;
}

function chooseOf(running: RunningServer, readSchema: ReadSchema, room: Room): Choice {
  const { server } = running.parts;
  const listed = running.listed.tools;
  const usable: Offered[] = [];
  const problems: string[] = [...running.listed.problems];
  // Who asked for all of them missed none by name: that is for the log, and not for whoever reads the reply.
  const leaveOut = (what: string) => (isAsked(server.tools) ? problems.push(what) : running.parts.log(what));
  for (const glob of [...server.tools, ...server.readOnlyTools]) {
    const isIdle = glob !== '*' && !listed.some(({ name }) => matches(name, [glob]));
    if (isIdle) problems.push(`none of its tools is named ${quoted(glob)}`);
  }
  const wanted = listed.filter(({ name }) => matches(name, server.tools));
  for (const tool of wanted.slice(0, maxLookedAt)) {
    const input = readSchema(tool.inputSchema, running.parts.scrub);
    if (tool.needsTask) leaveOut(`the tool ${quoted(tool.name)} is left out: it works only as a task of its own`);
    else if (!input.ok) leaveOut(`the tool ${quoted(tool.name)} is left out: ${input.why}`);
    else usable.push({ running, tool, input });
  }
  const offered = usable.filter((each) => takeRoom(each, room));
  const more = usable.length - offered.length + Math.max(0, wanted.length - maxLookedAt);
  if (more > 0) {
    const limits = `at most ${maxTools} tools of ${maxTotalBytes / 1024} KB together are offered by all servers`;
    problems.unshift(`${more} of its tools are left out: ${limits}; name those you need in \`tools\``);
  }
  return { offered, notices: shorten(problems).map((problem) => `MCP server ${quoted(server.name)}: ${problem}`) };
}

function isAsked(globs: readonly string[]): boolean {
  return !globs.includes('*');
}

function takeRoom({ tool, input }: Offered, room: Room): boolean {
  const bytes =
    Math.min(Buffer.byteLength(tool.description), maxDescriptionBytes) + Buffer.byteLength(JSON.stringify(input.schema));
  if (room.tools === 0 || bytes > room.bytes) return false;
  room.tools -= 1;
  room.bytes -= bytes;
  return true;
}

function shorten(problems: readonly string[]): readonly string[] {
  if (problems.length <= maxNotices) return problems;
  return [...problems.slice(0, maxNotices - 1), `${problems.length - maxNotices + 1} more problems with its tools`];
}

/** `*` is any text. */
export function matches(name: string, globs: readonly string[]): boolean {
  return globs.some((glob) => new RegExp(`^${glob.split('*').map(RegExp.escape).join('.*')}$`, 's').test(name));
}

export function quoted(text: string): string {
  return `"${oneLine(text, 100)}"`;
}
