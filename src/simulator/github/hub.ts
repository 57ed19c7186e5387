/** The one value that every handler works on: state, git, clock and addresses. Built by `simulated-github.ts` only. */
import type { GitRepository } from './git/git-repository.ts';
import type { State } from './state.ts';

export interface Urls {
  /** REST base, without a slash at the end. */
  readonly api: string;
  readonly graphql: string;
  /** Where people's links and git over HTTP live. */
  readonly server: string;
  /** The artifact service. */
  readonly results: string;
}

export interface Hub {
  readonly state: State;
  readonly git: GitRepository;
  readonly urls: Urls;
  /** The time as GitHub writes it: ISO 8601 in UTC, whole seconds. */
  now(): string;
}
