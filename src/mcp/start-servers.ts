// Starts the configured MCP servers together and gives their tools; what could not be started is told, or ends the run where it must.
import { Harness9Error } from '../schema/error.ts';
import { oneLine } from '../schema/one-line.ts';
import { defineTools, type McpTool } from './define-tools.ts';
import { createScrub, describeFault } from './describe-fault.ts';
import type { McpParts, ServerParts } from './parts.ts';
import { type RunningServer, startServer } from './running-server.ts';
import { loadSdk } from './sdk.ts';
import { expandHeaders } from './secrets.ts';
import { type McpServer, placeOf } from './server.ts';
import { createServerLog } from './server-log.ts';
import { patiently } from './within.ts';

export interface McpTools {
  /** Sorted by name; the same ones until the end, whatever becomes of their servers. */
  readonly tools: readonly McpTool[];
  /** One line for each server, and each tool that was asked for, that is not there, and why. */
  readonly notices: readonly string[];
  /** Ends sessions and processes, within 5 s. Never rejects. */
  close(): Promise<void>;
}

const closeMs = 5_000;

/**
 * Starts all servers at the same time, each within its own limit. `signal` is for the start: what has been started lives until `close`.
 * Throws `MCP_CONFIG` for a variable that is missing, `MCP_START` for a required server that is not there; nothing is left running then.
 */
export async function startMcpServers(servers: readonly McpServer[], parts: McpParts, signal: AbortSignal): Promise<McpTools> {
  if (servers.length === 0) return { tools: [], notices: [], close: async () => {} };
  const headers = expandHeaders(servers, parts.env);
  const sdk = await loadSdk();
  const life = new AbortController();
  const attempts = await Promise.all(
    servers.map((server) =>
      attempt(
        {
          ...parts,
          server,
          sdk,
          headers: headers.get(server) ?? {},
          life: life.signal,
          scrub: createScrub(server, parts),
          log: createServerLog(parts.log, server.name),
        },
        signal,
      ),
    ),
  );
  const running = attempts.flatMap((each) => (each.running === undefined ? [] : [each.running]));
  const close = async (): Promise<void> => {
    await patiently(closeMs, Promise.all(running.map((server) => server.close())), parts.clock);
    life.abort(new Harness9Error({ code: 'MCP_GONE', message: 'the MCP servers were closed' }));
  };
  try {
    signal.throwIfAborted();
    throwIfMissing(attempts);
    const { tools, notices } = defineTools(running, sdk);
    return { tools, notices: [...attempts.flatMap((each) => noticeOf(each)), ...notices], close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Attempt = { readonly server: McpServer } & (
  | { readonly running: RunningServer }
  | { readonly running?: undefined; readonly why: string }
);

async function attempt(parts: ServerParts, signal: AbortSignal): Promise<Attempt> {
  const { server, log, clock } = parts;
  const startedMs = clock.monotonicMs();
  try {
    const running = await startServer(parts, signal);
    log(`started in ${Math.round(clock.monotonicMs() - startedMs)} ms, tools=${running.listed.tools.length}`);
    return { server, running };
  } catch (error) {
    const why = describeFault(error, parts);
    log(`not started: ${why}`);
    return { server, why };
  }
}

function noticeOf(each: Attempt): readonly string[] {
  return each.running === undefined ? [describe(each.server, each.why)] : [];
}

function throwIfMissing(attempts: readonly Attempt[]): void {
  const missing = attempts.flatMap((each) => (each.server.isRequired ? noticeOf(each) : []));
  if (missing.length === 0) return;
  throw new Harness9Error({
    code: 'MCP_START',
    message: missing.join('\n'),
    hint: 'Mend the server, or take `required` out of its configuration to run without it.',
  });
}

function describe(server: McpServer, why: string): string {
  return `MCP server "${oneLine(server.name, 100)}" (${oneLine(placeOf(server), 200)}) is not there: ${why}`;
}
