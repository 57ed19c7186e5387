// What of the environment's proxies is secret: who logs in there, in the forms in which it is written and sent. Pure.
import { hasTellingPiece } from '../redact/secret-finder.ts';
import { minFormLength } from '../redact/secret-forms.ts';
import type { World } from '../schema/world.ts';

const proxyName = /^(?:https?|all)_proxy$/i;

/** Passwords of all proxies that `env` names, in any spelling, and what is sent to the proxy; never throws, whatever the address is like. */
export function proxySecrets(env: World['env']): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) => (proxyName.test(name) ? secretsIn(value) : []));
}

function secretsIn(address: string): readonly string[] {
  const login = /^(?:[a-z][a-z\d+.-]*:\/\/)?([^/?#]*)@/i.exec(address.trim())?.[1];
  if (login === undefined) return [];
  const split = login.indexOf(':');
  const password = login.slice(split + 1);
  // Alone it is a name, which may be any word, or the token of some proxies, which is none.
  if (split < 0 && !hasTellingPiece(password)) return [];
  const decoded = decode(login);
  const sent = Buffer.from(split < 0 ? `${decoded}:` : decoded).toString('base64');
  return [...new Set([password, decode(password), sent])].filter((secret) => secret.length >= minFormLength);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
