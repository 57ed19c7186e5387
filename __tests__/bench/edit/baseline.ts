// The floors of the edit benchmark: what the plainest tools do.

/** One exact match, or a refusal. */
export function applyExactly(
  content: string,
  old: string,
  made: string,
  { replaceAll }: { readonly replaceAll: boolean },
): string | null {
  if (old === '' || old === made) return null;
  const pieces = content.split(old);
  const isFound = pieces.length === 2 || (pieces.length > 2 && replaceAll);
  return isFound ? pieces.join(made) : null;
}

/** The first exact match, whether or not there are more. */
export function applyFirst(content: string, old: string, made: string): string {
  const at = content.indexOf(old);
  return content.slice(0, at) + made + content.slice(at + old.length);
}
