// An answer with a bad status, whole: the SDKs keep a part of its body only, and of some servers' errors none at all.

/** Thrown in the place of the answer, past the SDK, to whoever asked it. */
export class RefusedAnswer extends Error {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor(status: number, headers: Headers, text: string) {
    // The SDKs read the message: one about time would be a time-out to them.
    super('The server refused the request.');
    this.status = status;
    this.headers = headers;
    this.text = text;
  }
}

/** `fetch` that rejects with a RefusedAnswer for every bad status: one whose body breaks says nothing, and no is no. Else rejects as `fetch` does. */
export function refusing(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return response;
    throw new RefusedAnswer(response.status, response.headers, await response.text().catch(() => ''));
  };
}
