// Addresses that secrets are sent to: what is one, and what is wrong with a text that is none. Whose address it is, the caller's words say. Pure.

/** `none`: no URL with http or https; `seen` says what it is instead. `login`: it holds a user name or a password. `plain`: http beyond loopback. */
export type HttpUrl =
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'none'; readonly seen: string }
  | { readonly kind: 'login' | 'plain'; readonly host: string };

const loopback = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Reads a text as such an address; never shows it, since it may hold a key (I2). */
export function readHttpUrl(text: string, isInsecureAllowed = false): HttpUrl {
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    // `localhost:8080` has a scheme by the letters, and in the eyes of nobody.
    const hasScheme = url !== null && text.includes('://');
    const seen = hasScheme
      ? `the scheme "${url.protocol}"`
      : `a text of ${text.length} characters that does not begin with https:// or http://`;
    return { kind: 'none', seen };
  }
  if (url.username !== '' || url.password !== '') return { kind: 'login', host: url.host };
  const isPlain = url.protocol === 'http:' && !loopback.test(url.hostname);
  return isPlain && !isInsecureAllowed ? { kind: 'plain', host: url.host } : { kind: 'url', url };
}
