// The names of skills and agents, which people and models spell in several ways: rules must know one in every way in which it is taken. Pure.

/** The one spelling of a name: lower case, dashes. It may be none. */
export function foldName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
}
