// A fetch under which no write loses its body on the way: the platform's turns a POST that was answered 301 or 302 into a GET.

type Fetch = typeof globalThis.fetch;

/** So many are one rename after the other. */
const maxMoves = 3;

/**
 * What reads is followed as ever. A renamed repository answers a write with 307 or 308: it goes to the new address as it is, on the same server.
 * Any other redirect of a write is handed out as it came: the thing itself went elsewhere, and what was meant for it here is not sent after it.
 */
export function followWrites(fetch: Fetch): Fetch {
  return async (input, init) => {
    const method = init?.method?.toUpperCase() ?? 'GET';
    if (method === 'GET' || method === 'HEAD' || !(typeof input === 'string' || input instanceof URL)) return fetch(input, init);
    let url = new URL(input);
    for (let moves = 0; ; moves += 1) {
      const answer = await fetch(url.href, { ...init, redirect: 'manual' });
      const next = nextOf(answer, url);
      if (next === null || moves === maxMoves) return answer;
      await answer.body?.cancel();
      url = next;
    }
  };
}

function nextOf({ status, headers }: Response, from: URL): URL | null {
  const location = headers.get('location');
  if (!(status === 307 || status === 308) || location === null || !URL.canParse(location, from.href)) return null;
  const to = new URL(location, from);
  return to.origin === from.origin ? to : null;
}
