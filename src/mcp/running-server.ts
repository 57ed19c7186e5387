// A server over its lives: started, asked, started again once when it is gone, closed. Its list of tools is that of its first life.
import { Harness9Error } from '../schema/error.ts';
import { oneLine } from '../schema/one-line.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import { type Connection, openConnection } from './connection.ts';
import { describeFault } from './describe-fault.ts';
import type { Listed } from './list-tools.ts';
import type { ServerParts } from './parts.ts';
import { within } from './within.ts';

export interface RunningServer {
  readonly parts: ServerParts;
  readonly listed: Listed;
  /** What the server answers, as it came. Rejects with what went wrong, and at once on abort. */
  call(tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
  /** Bounded; never rejects. */
  close(): Promise<void>;
}

/** A server that does not survive its second life does not survive its third. */
const maxRestarts = 1;

/** Starts the server and asks for its tools, within its time. Rejects with what went wrong. */
export async function startServer(parts: ServerParts, signal: AbortSignal): Promise<RunningServer> {
  const { connection, listed } = await within(
    parts.server.startupTimeoutMs,
    async (limit) => {
      const opened = await openConnection(parts, limit);
      try {
        return { connection: opened, listed: await opened.listTools(limit) };
      } catch (error) {
        await opened.close();
        throw error;
      }
    },
    { clock: parts.clock, signal },
  );
  const lives = new Lives(parts, connection);
  return { parts, listed, call: (tool, args, callSignal) => lives.call(tool, args, callSignal), close: () => lives.close() };
}

class Lives {
  readonly #parts: ServerParts;
  #connection: Connection;
  readonly #former: Connection[] = [];
  /** Why the connection is of no use, beyond what it says itself. */
  #lost: string | undefined;
  #restarting: Promise<void> | undefined;
  #restartsLeft = maxRestarts;
  readonly #closing = new AbortController();

  constructor(parts: ServerParts, connection: Connection) {
    this.#parts = parts;
    this.#connection = connection;
  }

  async call(tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    const connection = await this.#living(signal);
    try {
      return await connection.call(tool, args, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const isKnown = connection !== this.#connection || this.#lost !== undefined;
      if (!connection.isSessionLost(error) || (!isKnown && this.#restartsLeft === 0)) throw this.#asDeath(connection, error);
      if (!isKnown) this.#lost = 'it does not know our session any more';
    }
    // The call was not carried out, so it may be made again.
    return await (await this.#living(signal)).call(tool, args, signal);
  }

  async close(): Promise<void> {
    this.#restartsLeft = 0;
    this.#closing.abort(death(`${this.#name} was closed`, undefined));
    await this.#restarting?.catch(() => {});
    this.#lost = 'it was closed';
    await Promise.all([this.#connection.close(), ...this.#former.map((each) => each.close())]);
  }

  #gone(): string | undefined {
    return this.#lost ?? this.#connection.ended();
  }

  /** The connection, a new one where the old one is gone. Calls at the same time wait for the same one. */
  async #living(signal: AbortSignal): Promise<Connection> {
    const gone = this.#gone();
    if (gone !== undefined) {
      this.#restarting ??= this.#restart(gone).finally(() => {
        this.#restarting = undefined;
      });
      await untilAborted(this.#restarting, signal);
    }
    return this.#connection;
  }

  async #restart(gone: string): Promise<void> {
    const { server, clock, log } = this.#parts;
    if (this.#restartsLeft === 0) throw this.#absence(gone);
    this.#restartsLeft -= 1;
    log(`it is started again, since it is gone: ${gone}`);
    // Calls in it may still be answered.
    this.#former.push(this.#connection);
    try {
      this.#connection = await within(server.startupTimeoutMs, (limit) => openConnection(this.#parts, limit), {
        clock,
        signal: this.#closing.signal,
      });
      this.#lost = undefined;
    } catch (error) {
      this.#lost = `${gone}; it could not be started again: ${describeFault(error, this.#parts)}`;
      throw this.#absence(this.#lost, error);
    }
  }

  #absence(why: string, cause?: unknown): Harness9Error {
    return death(`${this.#name} is not there any more: ${why}`, cause);
  }

  /** Where the connection has ended, that is what went wrong. */
  #asDeath(connection: Connection, error: unknown): unknown {
    const ended = connection.ended();
    if (ended === undefined) return error;
    const next = this.#restartsLeft > 0 ? ' The next call starts it again.' : '';
    return death(`${this.#name} was gone before it answered: ${ended}.${next}`, error);
  }

  get #name(): string {
    return `the MCP server "${oneLine(this.#parts.server.name, 60)}"`;
  }
}

function death(message: string, cause: unknown): Harness9Error {
  return new Harness9Error({ code: 'MCP_GONE', message, cause });
}
