// The terminal at a real pseudo-terminal (util-linux's script), and somebody who sits before it: reads the screen, types.
import type { ChildProcess } from 'node:child_process';
import type { TerminalCall, TerminalScene } from './terminal-process.ts';

export interface Person {
  /** Resolves when the words stand on the screen, below what was seen before, with all that came until then. */
  readonly sees: (words: string) => Promise<string>;
  readonly types: (text: string) => void;
}

/** What is under the keys. */
export const keys = { enter: '\n', ctrlC: '\x03', ctrlD: '\x04' };

/** As wide as the screen is. */
const columns = 100;

/** "$@" as a command line of its own; `redirect` is added to it. */
const onPseudoTerminal = (redirect: string): string =>
  `exec script --quiet --return --flush --command "stty cols ${columns} rows 40; exec $(printf '%q ' "$@")${redirect}" /dev/null`;

interface AttendedCall extends TerminalCall {
  /** `> out.txt`: what the shell does with a stream. */
  readonly redirect?: string;
}

/** Runs the call at a pseudo-terminal while `act` is the person there. Returns the whole screen and the exit code. */
export async function runAttended(
  terminal: TerminalScene,
  { redirect = '', env = {}, ...call }: AttendedCall,
  act: (person: Person) => Promise<unknown>,
): Promise<{ readonly screen: string; readonly code: number | null }> {
  let acting: Promise<unknown> = Promise.resolve();
  const ended = await terminal.run({
    ...call,
    env: { SHELL: '/bin/bash', TERM: 'xterm', ...env },
    input: null,
    shell: onPseudoTerminal(redirect),
    onStart: (child) => {
      acting = act(sit(child));
      // What goes wrong is told below, once the process has ended.
      acting.catch(() => child.kill('SIGKILL'));
    },
  });
  await acting;
  return { screen: asLines(ended.stdout), code: ended.code };
}

/** Far longer than anything takes that is waited for; a run that asks something else would wait for ever. */
const patienceMs = 20_000;

function sit(child: ChildProcess): Person {
  let screen = '';
  let seen = 0;
  let onChange: () => void = () => undefined;
  child.stdout?.on('data', (chunk: Buffer) => {
    screen = asLines(screen + chunk.toString());
    onChange();
  });
  const find = (words: string): string | undefined => {
    const at = screen.indexOf(words, seen);
    if (at < 0) return undefined;
    const before = seen;
    seen = at + words.length;
    return screen.slice(before, seen);
  };
  return {
    sees: async (words) => {
      const signal = AbortSignal.any([AbortSignal.timeout(patienceMs), endOf(child)]);
      for (let found = find(words); ; found = find(words)) {
        if (found !== undefined) return found;
        if (signal.aborted) throw new Error(`"${words}" never stood on the screen:\n${screen}`);
        await new Promise<void>((resolve) => {
          onChange = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    },
    types: (text) => {
      child.stdin?.write(text);
    },
  };
}

/** Aborted when nothing comes any more. */
function endOf(child: ChildProcess): AbortSignal {
  const end = new AbortController();
  if (child.stdout?.readableEnded === true) end.abort();
  child.stdout?.once('end', () => end.abort());
  return end.signal;
}

/** A pseudo-terminal goes back to the begin of the line by itself. */
function asLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
