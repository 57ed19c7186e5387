// What the outside is to us: clock, random, environment, network and output come in through here, never from globals.

/** Everything that would make a run differ from another one with the same inputs. Built by the entries only. */
export interface World {
  readonly clock: Clock;
  /** `bytes` cryptographically random bytes, as lower-case hex. */
  readonly randomHex: (bytes: number) => string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof globalThis.fetch;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** Time. Deadlines are counted on `monotonicMs`, which no clock change moves; `now` is for what people read. */
export interface Clock {
  readonly now: () => Date;
  readonly monotonicMs: () => number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A line of our log, on stderr. It begins with who writes: `[engine] turn=3 …`. */
export type Log = (line: string) => void;
