// One connection to a server, from its start to its end: handshake, list of tools, calls. Starting again is the business of
// `running-server.ts`.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod';
import { Harness9Error } from '../schema/error.ts';
import { longestTimerMs } from '../schema/system-clock.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import { describeFault } from './describe-fault.ts';
import { HttpTransport } from './http-transport.ts';
import { type Listed, listTools, type PageRequest } from './list-tools.ts';
import type { ServerParts } from './parts.ts';
import type { HttpServer, StdioServer } from './server.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface Connection {
  listTools(signal: AbortSignal): Promise<Listed>;
  /** What the server answers, as it came. Rejects with what went wrong, and at once on abort: the server is told. */
  call(tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
  /** Why it is gone; undefined while it lives. */
  ended(): string | undefined;
  /** Whether the server refused a request, unread, because it does not know our session any more. */
  isSessionLost(error: unknown): boolean;
  /** Bounded; never rejects. */
  close(): Promise<void>;
}

/** What is answered is read leniently, part by part: one odd part must not cost the rest. */
const anyResult = z.looseObject({});

/** Connects, or rejects with what went wrong; what was started is gone then. */
export async function openConnection(parts: ServerParts, signal: AbortSignal): Promise<Connection> {
  const { server, sdk, log, scrub } = parts;
  const transport = server.kind === 'stdio' ? stdioTransport(server, parts) : httpTransport(server, parts);
  const ended = () => (transport instanceof StdioTransport ? transport.ended : undefined);
  /** An error of a connection that has ended says nothing but that. */
  const asEnd = (error: unknown) => {
    const reason = ended();
    return reason === undefined ? error : new Harness9Error({ code: 'MCP_GONE', message: reason, cause: error });
  };
  // No capabilities are offered, so the SDK refuses what a server asks of a client (sampling, roots, elicitation), and answers pings.
  const client = new sdk.Client(parts.clientInfo, { capabilities: {} });
  client.onerror = (error) => log(describeFault(error, parts));
  let tell = () => {};
  client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, () => tell());
  try {
    await untilAborted(client.connect(transport, { timeout: longestTimerMs }), signal);
  } catch (error) {
    const end = asEnd(error);
    await transport.close();
    throw end;
  }
  return {
    listTools: async (listSignal) => {
      const listed = await listTools((page) => request(client, page, listSignal), scrub).catch((error: unknown) => {
        throw asEnd(error);
      });
      // Prompt caches hang on the list, so it stays what it is. Before it was asked for, a change is none.
      tell = () => {
        tell = () => {};
        log('its list of tools has changed; this run keeps the one that it has');
      };
      return listed;
    },
    call: (name, args, callSignal) => request(client, { method: 'tools/call', params: { name, arguments: args } }, callSignal),
    ended,
    isSessionLost: (error) =>
      transport instanceof HttpTransport &&
      transport.sessionId !== undefined &&
      error instanceof sdk.StreamableHTTPError &&
      sessionGone.has(error.code ?? 0),
    close: () => transport.close(),
  };
}

/** 404 by the protocol; 400 by many servers, the reference server too. Either way the request was not carried out. */
const sessionGone: ReadonlySet<number> = new Set([400, 404]);

/**
 * One request. The SDK's limit of 60 s is not ours: whoever asks gives the signal. It has a controller of its own, since the SDK leaves
 * its listeners where they are, and would cancel a call that is long done.
 */
async function request(
  client: Client,
  what: PageRequest | { readonly method: 'tools/call'; readonly params: Record<string, unknown> },
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  const own = new AbortController();
  const cancel = () => own.abort('cancelled by the client');
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await client.request(what, anyResult, { signal: own.signal, timeout: longestTimerMs });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function stdioTransport(server: StdioServer, parts: ServerParts): StdioTransport {
  const { startProcess, sdk, clock, log, life } = parts;
  if (startProcess === undefined) {
    throw new Harness9Error({ code: 'MCP_NO_PROCESS', message: 'this level of the sandbox runs no processes' });
  }
  return new StdioTransport({
    start: () => startProcess({ argv: server.argv, env: server.env }, life),
    schema: sdk.JSONRPCMessageSchema,
    clock,
    log,
  });
}

function httpTransport(server: HttpServer, { headers, fetch, clock, sdk }: ServerParts): HttpTransport {
  return new HttpTransport({ url: server.url, headers, fetch, clock, sdk });
}
