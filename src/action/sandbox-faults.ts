// The faults of a sandbox that did not end as it should, in words. With any of them nothing of the run is published.
import { Harness9Error } from '../schema/error.ts';

/** Commands that could not be ended (C10). */
export function sandboxAlive(survivors: readonly string[]): Harness9Error {
  return new Harness9Error({
    code: 'SANDBOX_ALIVE',
    message: `commands of the agent could not be ended: ${listed(survivors)}`,
    hint: 'Nothing is published while they run. Look at what the commands start in the background.',
  });
}

/** Files of the runner or of ours that were changed (D1, D6). */
export function runnerTampered(files: readonly string[]): Harness9Error {
  return new Harness9Error({
    code: 'RUNNER_TAMPERED',
    message: `commands of the agent changed files of the runner, which were put back: ${listed(files)}`,
    hint: 'Nothing of this run is published. Look at what made it do that: the thread, the repository, its dependencies.',
  });
}

const maxListed = 5;

/** The first few, and how many more. */
export function listed(names: readonly string[]): string {
  const rest = names.length - maxListed;
  return `${names.slice(0, maxListed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
