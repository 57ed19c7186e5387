// Servers as a run has them: configured, started, called, closed. Processes are real ones.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseMcpConfig } from '../../src/mcp/parse-config.ts';
import type { McpParts } from '../../src/mcp/parts.ts';
import { type McpTools, startMcpServers } from '../../src/mcp/start-servers.ts';
import { type Part, textOf } from '../../src/schema/message.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { createProcessStarter } from '../../src/tools/start-process.ts';

export const never = new AbortController().signal;

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly output: readonly Part[];
}

export interface Scene extends McpTools, AsyncDisposable {
  readonly names: readonly string[];
  readonly log: readonly string[];
  /** `name` is that of the tool here. */
  call(name: string, args?: unknown, signal?: AbortSignal): Promise<Answer>;
}

/** Real processes in a folder of their own, which goes with the scene. */
export function processParts(overrides: Partial<McpParts> = {}) {
  const workDir = mkdtempSync(path.join(tmpdir(), 'harness9-mcp-'));
  const log: string[] = [];
  const lifetime = new AbortController();
  const env = { PATH: process.env.PATH ?? '' };
  const parts: McpParts = {
    startProcess: createProcessStarter({ workDir, env, lifetime: lifetime.signal }),
    fetch: globalThis.fetch,
    env: {},
    clientInfo: { name: 'harness9', version: '0' },
    clock: systemClock,
    log: (line) => log.push(line),
    redact: (text) => text,
    ...overrides,
  };
  const remove = () => {
    lifetime.abort();
    rmSync(workDir, { recursive: true, force: true });
  };
  return { parts, log, remove };
}

export async function startScene(
  mcpServers: Readonly<Record<string, unknown>>,
  overrides: Partial<McpParts> = {},
  signal: AbortSignal = never,
): Promise<Scene> {
  const { parts, log, remove } = processParts(overrides);
  const started = await startMcpServers(parseMcpConfig({ mcpServers }, 'mcp_config'), parts, signal).catch((error: unknown) => {
    remove();
    throw error;
  });
  return {
    ...started,
    log,
    names: started.tools.map(({ definition }) => definition.name),
    call: async (name, args = {}, callSignal = never) => {
      const tool = started.tools.find(({ definition }) => definition.name === name);
      if (tool === undefined) throw new Error(`no tool ${name} among ${started.tools.length}`);
      const { output, isError } = await tool.execute(args, { signal: callSignal });
      return { text: textOf(output), isError, output };
    },
    [Symbol.asyncDispose]: async () => {
      await started.close();
      remove();
    },
  };
}

/** What `raw-server.ts` is told to do. */
export interface RawOptions {
  /** Instead of a start. */
  readonly start?:
    | 'silent'
    | 'exits'
    | 'deaf'
    | 'closes_output'
    | 'error'
    | 'nonsense'
    | 'old_protocol'
    | 'no_list'
    | 'dies_in_list';
  readonly delayMs?: number;
  /** The same from the second start on; needs the `stateFile`. */
  readonly laterDelayMs?: number;
  /** The pages of the list of tools; each entry as it is sent. Default: what it knows. */
  readonly pages?: readonly (readonly unknown[])[];
  /** The same cursor for ever, or a new one each time. */
  readonly endless?: 'same' | 'new';
  /** Counts the starts; `crash_once` crashes in the first one. */
  readonly stateFile?: string;
}

/** A server of `raw-server.ts`, as configured. */
export function raw(options: RawOptions = {}, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { command: process.execPath, args: [path.join(import.meta.dirname, 'raw-server.ts'), JSON.stringify(options)], ...more };
}

/** A tool as servers list them. */
export function listed(name: string, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { name, inputSchema: { type: 'object' }, ...more };
}
