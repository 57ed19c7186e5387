// A real temporary workspace and the host tools over it, for the tests of this folder.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach } from '@jest/globals';
import type { ToolResult } from '../../src/schema/message.ts';
import { textOf } from '../../src/schema/message.ts';
import { createHostTools } from '../../src/tools/host-tools.ts';
import { createRegistry } from '../../src/tools/registry.ts';

export interface Workspace {
  /** The real path of the workspace; beside it there is room for what lies outside. */
  readonly dir: string;
  readonly outside: string;
  at(name: string): string;
  call(name: string, args: unknown, signal?: AbortSignal): Promise<{ readonly text: string; readonly isError: boolean }>;
  /** As `call`, with all parts of the answer. */
  execute(name: string, args: unknown, signal?: AbortSignal): Promise<ToolResult>;
  remove(): void;
}

/** A workspace whose tools and files are gone after `remove`. */
export function createWorkspace(): Workspace {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'harness9-tools-')));
  const dir = path.join(base, 'ws');
  const outside = path.join(base, 'outside');
  const lifetime = new AbortController();
  for (const each of [dir, outside]) mkdirSync(each);
  const registry = createRegistry();
  const env = { PATH: process.env.PATH ?? '', HOME: outside };
  const tools = createHostTools({
    workDir: dir,
    env,
    redactionMark: '***',
    randomHex: (bytes) => randomBytes(bytes).toString('hex'),
    lifetime: lifetime.signal,
  });
  for (const tool of tools) registry.register(tool);
  const execute: Workspace['execute'] = (name, args, signal = new AbortController().signal) =>
    registry.execute({ id: 'c1', name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }, { signal });
  return {
    dir,
    outside,
    at: (name) => path.join(dir, name),
    call: async (name, args, signal) => plain(await execute(name, args, signal)),
    execute,
    remove: () => {
      lifetime.abort();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** A workspace for each test of a file. */
export function useWorkspace(): () => Workspace {
  let current: Workspace | undefined;
  afterEach(() => {
    current?.remove();
    current = undefined;
  });
  return () => {
    current ??= createWorkspace();
    return current;
  };
}

function plain({ output, isError }: ToolResult): { text: string; isError: boolean } {
  return { text: textOf(output), isError };
}

/** The permission bits of a file, set-user-id and the like included. */
export function modeOf(file: string): number {
  return statSync(file).mode & 0o7777;
}
