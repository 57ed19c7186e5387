// JSON that may be broken, as a value. Pure; limits of size and depth are the caller's.

/** What `text` says; undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
