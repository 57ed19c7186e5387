// What bash is, and which texts it can be given. Runs nothing.

/**
 * Absolute: a PATH must not decide what bash is. It is looked for where the process starts, in the tool host, and this is the path
 * that Linux distributions and macOS agree on.
 */
const bashPath = '/bin/bash';

/** Linux takes no single argument of 128 KiB or more. */
const maxBytes = 128 * 1024 - 1;

export const shellTextExpected =
  'a text for bash: not empty, at most 128 KB, without NUL, and with no other interpreter than a shell in a first line with #!';

/** Whether bash can run `text`. It would take the lines of a Python script for commands, whatever their first one says. */
export function isShellText(text: string): boolean {
  if (text.trim() === '' || text.includes('\0') || Buffer.byteLength(text) > maxBytes) return false;
  const interpreter = /^#!(.*)/.exec(text)?.[1];
  return interpreter === undefined || /(?:^|[/\s])(?:bash|sh|dash)(?:\s|$)/.test(interpreter);
}

/**
 * Its stdin may be a socket, and by that alone bash takes itself for a remote shell and runs ~/.bashrc, which the agent can write: the
 * text of a trusted script would not be all that runs.
 */
const options = '--norc';

/** Runs `text`. */
export function bashArgv(text: string): readonly [string, ...string[]] {
  return [bashPath, options, '-c', text];
}

/** Runs `text` with both streams as one, so that what was printed is in its order. */
export function bashArgvWithOneStream(text: string): readonly [string, ...string[]] {
  return [...bashArgv(`exec ${bashPath} ${options} -c "$1" 2>&1`), bashPath, text];
}
