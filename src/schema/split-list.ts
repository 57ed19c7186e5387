// A list in one text, as people write it in a workflow or behind a flag. Knows no list by name. Pure.

/** What stands between commas or on lines of its own, each trimmed, empty ones dropped; nothing of a text that is not there. */
export function splitList(text: string | null | undefined): readonly string[] {
  const items = (text ?? '').split(/[,\n]/).map((item) => item.trim());
  return items.filter((item) => item !== '');
}
