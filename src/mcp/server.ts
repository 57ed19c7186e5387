// What an MCP server is to us once its configuration has been read. Starts nothing.
import type { Trust } from '../schema/gate.ts';

interface AnyServer {
  /** Any text; `tool-names.ts` makes it safe for tool names. */
  readonly name: string;
  /** Globs of the tools that are offered. */
  readonly tools: readonly string[];
  /** Globs of the tools that only read. What a server says of itself is not trusted. */
  readonly readOnlyTools: readonly string[];
  readonly startupTimeoutMs: number;
  /** Of one call. */
  readonly timeoutMs: number;
  /** Whether a run does not start without it. */
  readonly isRequired: boolean;
  /** Runs that are trusted less do not have it. */
  readonly lowestTrust: Trust;
}

/** A process beside the tools; no secret may be in it. */
export interface StdioServer extends AnyServer {
  readonly kind: 'stdio';
  readonly argv: readonly [program: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** Spoken to from our own process. `headers` may hold placeholders (`secrets.ts`). */
export interface HttpServer extends AnyServer {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type McpServer = StdioServer | HttpServer;

const fromWeakest: readonly Trust[] = ['untrusted', 'mixed', 'trusted'];

/** Whether a run of this trust may have the server. */
export function isOffered(server: McpServer, trust: Trust): boolean {
  return fromWeakest.indexOf(trust) >= fromWeakest.indexOf(server.lowestTrust);
}

/** Where a server is, for people: of a URL its origin, since paths and queries may be secret. */
export function placeOf(server: McpServer): string {
  return server.kind === 'stdio' ? server.argv[0] : new URL(server.url).origin;
}
