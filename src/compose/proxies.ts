// The proxies of the environment, for everything that this process fetches: GitHub, models, servers, pictures.
import http from 'node:http';
import { messageOf } from '../schema/error.ts';
import type { Log, World } from '../schema/world.ts';

const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];
/** As GitHub's own toolkit has it: what runs on this machine is nobody's to reach for us. */
const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** From now on `fetch` goes through the proxies that `env` names. What cannot be used is said in the log. */
export function useProxies(env: World['env'], log: Log): void {
  if (!hasProxy(env)) return;
  const given = Object.fromEntries(proxyVariables.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  try {
    if (http.setGlobalProxyFromEnv === undefined) throw new Error(`Node ${process.versions.node} cannot; 24.14 can`);
    http.setGlobalProxyFromEnv({ ...given, no_proxy: exceptionsOf(env.no_proxy || env.NO_PROXY || '') });
  } catch (error) {
    log(`[proxy] warning=proxy_not_used error=${messageOf(error)}`);
  }
}

/** A Node that knows no proxies reaches GitHub as GitHub's own toolkit does, which reads proxy and exceptions from the environment itself. */
export function gitHubFetch({ env, fetch }: Pick<World, 'env' | 'fetch'>): World['fetch'] {
  if (!hasProxy(env) || http.setGlobalProxyFromEnv !== undefined) return fetch;
  let toolkit: Promise<World['fetch']> | undefined;
  return async (input, init) => {
    toolkit ??= import('@actions/github/lib/utils').then(({ defaults }) => defaults.request?.fetch ?? fetch);
    return (await toolkit)(input, init);
  };
}

function hasProxy(env: World['env']): boolean {
  return proxyVariables.some((name) => env[name]);
}

/** To git, curl and GitHub's toolkit a bare name is everything below it, too; not so to every version of Node that knows proxies. */
function exceptionsOf(noProxy: string): string {
  const entries = noProxy.split(/[,\s]+/).filter((entry) => entry !== '');
  if (entries.includes('*')) return '*';
  return [...loopback, ...entries.flatMap((entry) => (/^[.*[\d]/.test(entry) ? [entry] : [entry, `.${entry}`]))].join(',');
}
