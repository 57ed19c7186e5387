// What the connections to MCP servers are given from outside.
import type { StartProcess } from '../schema/running-process.ts';
import type { Clock, Log } from '../schema/world.ts';
import type { Sdk } from './sdk.ts';
import type { McpServer } from './server.ts';

export interface McpParts {
  /** Undefined where this level of the sandbox runs no processes. */
  readonly startProcess: StartProcess | undefined;
  readonly fetch: typeof globalThis.fetch;
  /** Where the variables of headers are. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Who we are, to the servers. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly clock: Clock;
  readonly log: Log;
  /** Takes all secrets of the run out of a text. */
  readonly redact: (text: string) => string;
}

/** The same for one server. */
export interface ServerParts extends McpParts {
  readonly server: McpServer;
  readonly sdk: Sdk;
  /** As they are sent; none for a process. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends with everything that was started. */
  readonly life: AbortSignal;
  /** Takes out of a text what the server was given in secret. */
  readonly scrub: (text: string) => string;
  /** Names the server, cuts, and falls silent when there is too much. */
  readonly log: Log;
}
