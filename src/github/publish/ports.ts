// What publish needs of the world; compose/ brings it.
import type { Clock, Log } from '../../schema/world.ts';
import type { Egress, GitHubApi } from '../api.ts';

export interface PublishPorts {
  readonly api: GitHubApi;
  readonly egress: Egress;
  readonly clock: Clock;
  readonly log: Log;
}

/** The world, and when to leave it. */
export interface PublishIo {
  readonly ports: PublishPorts;
  readonly signal: AbortSignal;
}
