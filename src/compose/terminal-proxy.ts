// The proxies of the user's environment, for everything that this process fetches.
import http from 'node:http';
import { messageOf } from '../schema/error.ts';
import type { Log, World } from '../schema/world.ts';

const variables = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];

/** From now on `fetch` goes through the proxies that `env` names. What cannot be used is said in the log. */
export function useProxies(env: World['env'], log: Log): void {
  const given = Object.fromEntries(variables.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  if (Object.keys(given).every((name) => /^no_/i.test(name))) return;
  try {
    // Node 24 has it since 24.14.
    if (http.setGlobalProxyFromEnv === undefined) throw new Error(`Node ${process.versions.node} cannot; 24.14 can`);
    http.setGlobalProxyFromEnv(given);
  } catch (error) {
    log(`[terminal] warning=proxy_not_used error=${messageOf(error)}`);
  }
}
