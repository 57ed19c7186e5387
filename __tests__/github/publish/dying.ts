// The ports of a process that is killed, for what another one has to finish.
import type { GitHubApi } from '../../../src/github/api.ts';
import type { PublishPorts } from '../../../src/github/publish/ports.ts';

/** The process dies when the call of this number was answered: the answer is not seen, and nothing comes after it. */
export function dyingAt(
  ports: PublishPorts,
  last: number,
): { readonly ports: PublishPorts; readonly signal: AbortSignal; isDead(): boolean } {
  const death = new AbortController();
  let calls = 0;
  const count = () => {
    calls += 1;
    if (calls >= last) death.abort(new Error('killed'));
    death.signal.throwIfAborted();
  };
  const api: GitHubApi = {
    ...ports.api,
    rest: async (route, parameters, signal) => {
      death.signal.throwIfAborted();
      const answer = await ports.api.rest(route, parameters, signal);
      count();
      return answer;
    },
    pages: async function* (route, parameters, signal) {
      death.signal.throwIfAborted();
      yield* ports.api.pages(route, parameters, signal);
      count();
    },
    graphql: async (query, variables, signal) => {
      death.signal.throwIfAborted();
      const answer = await ports.api.graphql(query, variables, signal);
      count();
      return answer;
    },
  };
  return { ports: { ...ports, api }, signal: death.signal, isDead: () => death.signal.aborted };
}
