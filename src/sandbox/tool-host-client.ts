// The main process's side of the tool host: tools and processes that run in another process. Restarts it once; ends it and all it started.
import { errorResult, type ToolCall, type ToolDefinition, type ToolResult } from '../schema/message.ts';
import type { ProcessRequest, RunningProcess, StartProcess } from '../schema/running-process.ts';
import type { Log } from '../schema/world.ts';
import type { HostProcess } from './host-process.ts';
import { startHostProcess } from './host-process.ts';
import type { SweepResult, SweepTarget } from './kill-sweep.ts';
import { findLeft, killSweep, markBeside, markerVariable } from './kill-sweep.ts';
import type { LevelDecision } from './level.ts';
import { loadStartTicks } from './process-table.ts';
import type { HostOptions } from './protocol.ts';
import { protocolVersion } from './protocol.ts';
import { RemoteProcess } from './remote-process.ts';
import type { ToolRegistry } from './tool-registry.ts';

export interface ToolHostOptions {
  readonly level: Pick<LevelDecision, 'level' | 'launcher'>;
  /** Absolute: the Node that runs `entry`. */
  readonly nodePath: string;
  /** Absolute: the tool host's entry, src/tool-host.ts or what is built from it. */
  readonly entry: string;
  /** The workspace, absolute. */
  readonly workDir: string;
  /** All that the host and its commands see; clean, from childEnvironment. */
  readonly env: Readonly<Record<string, string>>;
  /** The tools that this run has; the host has no other. */
  readonly definitions: readonly ToolDefinition[];
  /** What stands for secrets in texts that the model reads. */
  readonly redactionMark: string;
  /** Unguessable: by this the processes of this host are known, whoever looks for them. */
  readonly marker: string;
  readonly log: Log;
}

export interface ToolHost {
  readonly registry: ToolRegistry;
  /** Starts a process in the host, which ends with the host. On the level `readonly` every one fails. */
  readonly startProcess: StartProcess;
  /**
   * Ends the host and everything that it started, for good. `killed` is what commands had left running, and whatever outlived a host; it is
   * dead now. `survivors` could not be killed, and with any of them nothing may be published. Calling it again gives the same answer.
   */
  close(): Promise<SweepResult>;
}

/** A host that dies twice dies of what it is asked to do. */
const maxStarts = 2;

/** Starts the tool host at once and waits for it with the first call. */
export function startToolHost(options: ToolHostOptions): ToolHost {
  const client = new Client(options);
  return {
    registry: { getAvailableTools: () => options.definitions, execute: (call, { signal }) => client.execute(call, signal) },
    startProcess: (request, signal) => client.startProcess(request, signal),
    close: () => client.close(),
  };
}

class Client {
  readonly #options: ToolHostOptions;
  readonly #marker: string;
  readonly #sessions: number[] = [];
  #starts = 0;
  #startTicks: Promise<number | null> | undefined;
  #host: Promise<HostProcess>;
  #closing: Promise<SweepResult> | undefined;

  constructor(options: ToolHostOptions) {
    this.#options = options;
    this.#marker = options.marker;
    this.#host = Promise.resolve(this.#start());
  }

  async execute(call: ToolCall, signal: AbortSignal): Promise<ToolResult> {
    if (this.#closing !== undefined) return errorResult(call, 'The tool host is closed; nothing was done.');
    const host = await this.#host;
    const answer = await host.execute(call, signal);
    if (answer.kind === 'result') return answer.result;
    const next = this.#starts < maxStarts ? 'It is started again' : 'It is not started again';
    return errorResult(
      call,
      `The tool host ended (${answer.reason}) before it answered; what the call did is not known. ${next}.`,
    );
  }

  startProcess({ argv, env }: ProcessRequest, signal: AbortSignal): RunningProcess {
    const process = new RemoteProcess(signal);
    if (this.#closing !== undefined) process.fail('the tool host is closed');
    else if (this.#options.level.level === 'readonly') process.fail('the sandbox level readonly runs no processes');
    else {
      // By the marker it is found when everything ends: no request takes it away.
      const request = { argv, env: { ...env, [markerVariable]: markBeside(this.#marker) } };
      void this.#host.then((host) => host.startProcess(process, request));
    }
    return process;
  }

  close(): Promise<SweepResult> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<SweepResult> {
    const host = await this.#host;
    // The host kills what it knows of without a word when it ends.
    const left = await findLeft(await this.#target());
    await host.stop();
    const { killed, survivors } = await killSweep(await this.#target());
    return { killed: [...new Map([...left, ...killed].map((process) => [process.pid, process])).values()], survivors };
  }

  #start(): HostProcess {
    const { level, nodePath, entry, env, log } = this.#options;
    this.#starts += 1;
    const [program = nodePath, ...rest] = [...level.launcher, nodePath, entry, JSON.stringify(this.#hostOptions())];
    const host = startHostProcess({ argv: [program, ...rest], env: { ...env, [markerVariable]: this.#marker }, log });
    if (host.pid !== undefined) {
      this.#sessions.push(host.pid);
      this.#startTicks ??= loadStartTicks(host.pid);
    }
    void host.gone.then((reason) => this.#restart(reason));
    return host;
  }

  /** What the dead host left running is killed first: nobody watches it, and two hosts' commands must not meet in one workspace. */
  #restart(reason: string): void {
    if (this.#closing !== undefined) return;
    this.#options.log(`[tool-host] ended: ${reason}`);
    const swept = this.#target().then(killSweep);
    if (this.#starts < maxStarts) this.#host = swept.then(() => this.#start());
  }

  async #target(): Promise<SweepTarget> {
    const startedAtTicks = this.#options.level.level === 'process' ? ((await this.#startTicks) ?? null) : null;
    return { marker: this.#marker, sessions: this.#sessions, self: process.pid, startedAtTicks };
  }

  #hostOptions(): HostOptions {
    const { workDir, definitions, redactionMark } = this.#options;
    return { version: protocolVersion, workDir, tools: definitions.map(({ name }) => name), redactionMark };
  }
}
