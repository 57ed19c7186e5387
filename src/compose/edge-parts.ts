// What the parts around the engine are made of: settings, where they are believed from, and what of the sandbox they may use. Types only.
import type { Collected } from '../github/change/collect-changes.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { EdgeSettings } from '../schema/settings.ts';
import type { World } from '../schema/world.ts';
import type { Outgoing } from './outgoing.ts';
import type { Tools } from './tools.ts';
import type { ConfigSource } from './trusted-config.ts';

export interface EdgeParts {
  readonly settings: EdgeSettings;
  readonly source: ConfigSource;
  readonly plan: Pick<RunPlan, 'tools' | 'trust'>;
  readonly tools: Pick<Tools, 'startProcess' | 'mayExecute'>;
  readonly workDir: string;
  /** The names that `task` and `use_skill` take here; a tool that is not in it takes any. */
  readonly named?: Readonly<Record<string, readonly string[]>>;
  /** Absent: nobody measures the work, and the calls of a run tell whether there is any. */
  readonly verification?: Verification;
  /** What traces say of where they are from. */
  readonly resource: Readonly<Record<string, string>>;
  readonly outgoing: Outgoing;
  readonly world: World;
}

/** The work of a run, for `verify_command`. */
export interface Verification {
  /** Before each run of the command. False: there is nothing to verify. */
  begin(signal: AbortSignal): Promise<boolean>;
  /** After it: what was written in between is no part of the work. */
  end(signal: AbortSignal): Promise<void>;
  /** Called once a run has ended, with what was collected then. */
  workAtEnd(collected: Collected): Work;
}

/** `isVerified`: it is what there was when the command was run last. */
export interface Work {
  readonly isChanged: boolean;
  readonly isVerified: boolean;
}
