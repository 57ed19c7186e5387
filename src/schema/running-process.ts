// A process that runs beside the tools, in the tool host: a command hook, an MCP server. Source: DESIGN.md, Trust (what runs workspace code).
import type { Readable, Writable } from 'node:stream';

/** `env` is added to the tool host's own clean environment. It starts in the workspace. No secret may be in either. */
export interface ProcessRequest {
  readonly argv: readonly [program: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** `failed`: it could not be started, or the tool host ended. */
export type ProcessEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface RunningProcess {
  /** What is written waits until the process reads it; once the process has gone it is dropped in silence. */
  readonly stdin: Writable;
  /** Read both outputs, or `resume()` them: a process that leaves 32 MB unread is killed. They end with it. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Never rejects. The output that was written before the end has arrived, or is arriving, on the streams. */
  readonly end: Promise<ProcessEnd>;
  /** Ends it with everything that it started; `end` tells when that is done. */
  kill(): void;
}

/** Starts a process; what goes wrong is told by its `end`. An abort kills it. */
export type StartProcess = (request: ProcessRequest, signal: AbortSignal) => RunningProcess;
