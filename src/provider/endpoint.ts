// The rules for base URLs: what is accepted, what is refused, and how a URL is named without giving away key or query.
import { Harness9Error } from '../schema/error.ts';
import { type HttpUrl, readHttpUrl } from '../schema/http-url.ts';

/** `identity` is origin and path, without the query: for the SDK, and for `Origin`; `host` is what people are shown. */
export interface Endpoint {
  readonly host: string;
  readonly identity: string;
  /** Goes with each request; without the question mark. It may hold a key. */
  readonly query: string;
}

/**
 * Parses a base URL: trailing slashes and the given path endings are taken off (G2-37, G3-18). Throws a Harness9Error for what is no
 * URL, holds credentials, or is plain http beyond loopback without `allowInsecure` (I2).
 */
export function parseEndpoint(
  text: string,
  rules: { readonly endings: readonly string[]; readonly allowInsecure: boolean },
): Endpoint {
  const read = readHttpUrl(text, rules.allowInsecure);
  if (read.kind !== 'url') throw refuse(read);
  const { url } = read;
  const path = stripEndings(url.pathname, rules.endings);
  return {
    host: url.host,
    identity: `${url.origin}${path}`,
    query: url.search.slice(1),
  };
}

function refuse(read: Exclude<HttpUrl, { readonly kind: 'url' }>): Harness9Error {
  switch (read.kind) {
    case 'none':
      return new Harness9Error({
        code: 'PROVIDER_BASE_URL',
        message: `The base URL of the model cannot be used: got ${read.seen}.`,
        hint: 'Let base_url be a full URL, for example https://api.openai.com/v1.',
      });
    case 'login':
      return new Harness9Error({
        code: 'PROVIDER_BASE_URL',
        message: `The base URL of the model, with the host ${read.host}, holds a user name or a password.`,
        hint: 'Take them out of base_url; the key belongs into the input api_key.',
      });
    case 'plain':
      return new Harness9Error({
        code: 'PROVIDER_INSECURE_ENDPOINT',
        message: `The base URL of the model, with the host ${read.host}, is plain http: the key would cross the network unencrypted.`,
        hint: 'Use https, or set allow_insecure_endpoint: true if that network is yours.',
      });
  }
}

function stripEndings(pathname: string, endings: readonly string[]): string {
  const trimmed = (path: string) => path.replace(/\/+$/, '');
  return endings.reduce(
    (path, ending) => (path.endsWith(ending) ? trimmed(path.slice(0, -ending.length)) : path),
    trimmed(pathname),
  );
}
