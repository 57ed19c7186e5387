// Owns the way of a picture's bytes to us: from hosts that may give them, within a size, without any token of ours. Judges no picture.

/** `why` is a clause for people. */
export type FetchedBytes = { readonly kind: 'bytes'; readonly bytes: Buffer } | { readonly kind: 'none'; readonly why: string };

export interface FetchRules {
  readonly fetch: typeof globalThis.fetch;
  /** Asked of the address and of every one that it leads on to. */
  readonly mayGive: (url: URL) => boolean;
  readonly maxBytes: number;
}

const maxRedirects = 3;

/** The bytes at `url`. Rejects when the network fails or `signal` aborts. */
export async function fetchPicture(url: URL, rules: FetchRules, signal: AbortSignal): Promise<FetchedBytes> {
  let at = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    if (!rules.mayGive(at)) return none('its address leads to a host that is not asked for pictures');
    const response = await rules.fetch(at.href, { redirect: 'manual', headers: { accept: 'image/*' }, signal });
    if (response.status === 200) return await readBytes(response, rules.maxBytes);
    await response.body?.cancel();
    const location = response.headers.get('location');
    const next = location === null ? null : URL.parse(location, at.href);
    if (response.status < 300 || response.status >= 400 || next === null) {
      return none(`GitHub answered ${response.status} when asked for it`);
    }
    at = next;
  }
  return none('its address leads on and on');
}

/** What a header says of the size is not believed; where it says too much, nothing is read. */
async function readBytes({ body, headers }: Response, maxBytes: number): Promise<FetchedBytes> {
  const tooLarge = none(`it has more than ${maxBytes} bytes`);
  if (Number(headers.get('content-length')) > maxBytes) {
    await body?.cancel();
    return tooLarge;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return tooLarge;
    chunks.push(chunk);
  }
  return { kind: 'bytes', bytes: Buffer.concat(chunks) };
}

function none(why: string): FetchedBytes {
  return { kind: 'none', why };
}
