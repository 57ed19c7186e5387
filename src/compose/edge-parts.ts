// What the parts around the engine are made of: settings, where they are believed from, and what of the sandbox they may use. Types only.
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
  /** What tells the work of the agent from the writes of `verify_command`; absent: nobody does. */
  readonly verification?: Verification;
  /** What traces say of where they are from. */
  readonly resource: Readonly<Record<string, string>>;
  readonly outgoing: Outgoing;
  readonly world: World;
}

export interface Verification {
  /** Whether there is anything to verify. */
  isDue(signal: AbortSignal): Promise<boolean>;
  /** Around each run of the command. */
  begin(signal: AbortSignal): Promise<void>;
  end(signal: AbortSignal): Promise<void>;
}
