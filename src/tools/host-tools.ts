// The tools that live in the tool host, and their definitions for whoever must know them without it.
import type { ToolDefinition } from '../schema/message.ts';
import { createBashTool } from './bash/bash.ts';
import { createEditFileTool } from './edit-file/edit-file.ts';
import { inTurn } from './in-turn.ts';
import { createReadFileTool } from './read-file.ts';
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
  /** Absolute real paths of folders beside the workspace that read_file may read; they need not exist. Default none. */
  readonly readableFolders?: readonly string[];
}

/**
 * bash, read_file, write_file, edit_file. Nothing happens before a call. Agents that work at the same time do not lose each other's changes
 * of files: those take turns. What a command of bash does to a file meanwhile is its own business.
 */
export function createHostTools(options: HostToolOptions): readonly Tool[] {
  const ofFiles = { ...options, seen: createSeenFiles() };
  const writers = [createWriteFileTool(ofFiles), createEditFileTool(ofFiles)];
  return [createBashTool(options), createReadFileTool(ofFiles), ...inTurn(writers)];
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
