// The rules for base URLs: what is accepted, what is refused, and how a URL is named without giving away key or query.
import { Harness9Error } from '../schema/error.ts';

/** `url` is what the SDK gets; `identity` is origin and path, without the query, for `Origin`; `host` is what people are shown. */
export interface Endpoint {
  readonly url: string;
  readonly host: string;
  readonly identity: string;
  /** Without the question mark; may hold a key. */
  readonly query: string;
}

const loopback = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Parses a base URL: trailing slashes and the given path endings are taken off (G2-37, G3-18). Throws a Harness9Error for what is no
 * URL, holds credentials, or is plain http beyond loopback without `allowInsecure` (I2).
 */
export function parseEndpoint(
  text: string,
  rules: { readonly endings: readonly string[]; readonly allowInsecure: boolean },
): Endpoint {
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    // `localhost:8080` has a scheme by the letters, and in the eyes of nobody.
    const hasScheme = url !== null && text.includes('://');
    const got = hasScheme
      ? `the scheme "${url.protocol}"`
      : `a text of ${text.length} characters that does not begin with https:// or http://`;
    throw new Harness9Error({
      code: 'PROVIDER_BASE_URL',
      message: `The base URL of the model cannot be used: got ${got}.`,
      hint: 'Let base_url be a full URL, for example https://api.openai.com/v1.',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new Harness9Error({
      code: 'PROVIDER_BASE_URL',
      message: `The base URL of the model, with the host ${url.host}, holds a user name or a password.`,
      hint: 'Take them out of base_url; the key belongs into the input api_key.',
    });
  }
  if (url.protocol === 'http:' && !loopback.test(url.hostname) && !rules.allowInsecure) {
    throw new Harness9Error({
      code: 'PROVIDER_INSECURE_ENDPOINT',
      message: `The base URL of the model, with the host ${url.host}, is plain http: the key would cross the network unencrypted.`,
      hint: 'Use https, or set allow_insecure_endpoint: true if that network is yours.',
    });
  }
  const path = stripEndings(url.pathname, rules.endings);
  return {
    url: `${url.origin}${path}${url.search}`,
    host: url.host,
    identity: `${url.origin}${path}`,
    query: url.search.slice(1),
  };
}

function stripEndings(pathname: string, endings: readonly string[]): string {
  const trimmed = (path: string) => path.replace(/\/+$/, '');
  return endings.reduce(
    (path, ending) => (path.endsWith(ending) ? trimmed(path.slice(0, -ending.length)) : path),
    trimmed(pathname),
  );
}
