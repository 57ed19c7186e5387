// The one decision on what counts as `.git`: nothing is written there by a tool, nothing of it is published (threats E8, F5). Pure.

/**
 * Whether a file system could take the path component `name` for `.git`: case, composed forms, ignorable characters, trailing dots and
 * blanks, Windows' short names, streams. Rather one name too many.
 */
export function isGitFolder(name: string): boolean {
  const plain = name
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
  return plain === '.git' || /^git~\d+$/.test(plain);
}
