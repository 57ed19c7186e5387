// How git sends a token to GitHub. Whoever sends it and whoever keeps it secret must spell it alike. Pure.

/** The base64 text of the basic authorization header that carries `token`. */
export function basicAuthOf(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64');
}
