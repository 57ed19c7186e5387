// The tools that live in the tool host, and their definitions for whoever must know them without it.
import { tmpdir } from 'node:os';
import type { ToolDefinition } from '../schema/message.ts';
import { createBashTool } from './bash/bash.ts';
import { createOutputFolder } from './bash/output-folder.ts';
import { createPrivateFolder } from './bash/private-folder.ts';
import { createEditFileTool } from './edit-file/edit-file.ts';
import { inTurn } from './in-turn.ts';
import { createReadFileTool } from './read-file.ts';
import { createGlobTool } from './search/glob.ts';
import { createGrepTool } from './search/grep.ts';
import { createSeenFiles } from './seen-files.ts';
import type { Tool } from './tool.ts';
import { createWriteFileTool } from './write-file.ts';

export interface HostToolOptions {
  /** The workspace. */
  readonly workDir: string;
  /** The environment of commands: clean, from sandbox/child-environment. */
  readonly env: Readonly<Record<string, string>>;
  /** What stands for secrets in texts that the model reads. */
  readonly redactionMark: string;
  readonly randomHex: (bytes: number) => string;
  /** When it aborts, everything that commands left running dies. */
  readonly lifetime: AbortSignal;
}

/**
 * bash, the tools that read and those that write files. Nothing happens before a call. Agents that work at the same time do not lose each other's changes
 * of files: those take turns. What a command of bash does to a file meanwhile is its own business.
 */
export function createHostTools(options: HostToolOptions): readonly Tool[] {
  const { env, randomHex, lifetime } = options;
  const outputs = createPrivateFolder({ parent: env.TMPDIR ?? tmpdir(), name: `harness9-output-${randomHex(8)}`, lifetime });
  const bash = createBashTool({ ...options, outputs: createOutputFolder(outputs) });
  const ofFiles = { ...options, seen: createSeenFiles(), readableFolders: [outputs.path] };
  const writers = [createWriteFileTool(ofFiles), createEditFileTool(ofFiles)];
  const searchers = [createGlobTool(ofFiles), createGrepTool(ofFiles)];
  return [bash, createReadFileTool(ofFiles), ...searchers, ...inTurn(writers)];
}

/** The definitions of the host's tools, sorted by name. They depend on no option, so that nobody has to wait for the host. */
export function hostToolDefinitions(): readonly ToolDefinition[] {
  const tools = createHostTools({
    workDir: '',
    env: {},
    redactionMark: '',
    randomHex: () => '',
    lifetime: new AbortController().signal,
  });
  return tools.map(({ definition }) => definition).sort((a, b) => (a.name < b.name ? -1 : 1));
}
