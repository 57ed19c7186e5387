// The way from the main process to one life of a tool host, as its calls and its processes need it. Types only.
import type { ToHost } from './protocol.ts';

export interface HostLine {
  /** Resolves to undefined when the host works, to the reason when it never will. */
  readonly ready: Promise<string | undefined>;
  /** How it ended, in words; pending while it lives. */
  readonly gone: Promise<string>;
  /** A host that died does not hear it: `gone` tells. */
  send(message: ToHost): void;
}
