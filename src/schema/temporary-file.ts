// The names of the files that a tool writes beside the one it replaces. A tool host that was killed between the two leaves one behind.

/** A new one; `hex`: random. */
export function temporaryFileName(hex: string): string {
  return `.harness9-${hex}.tmp`;
}

/** Whether a file of that name is such a leftover: nobody's work. */
export function isTemporaryFile(name: string): boolean {
  return /^\.harness9-[0-9a-f]+\.tmp$/.test(name);
}
