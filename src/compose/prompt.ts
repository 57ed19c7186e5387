// What the model is told: the system prompt with the trusted instructions, and the task as fenced data.
import type { PromptBuilder } from '../engine/ports.ts';
import { loadInstructions } from '../prompt/load-instructions.ts';
import { type PromptFrame, renderPrompt } from '../prompt/render-prompt.ts';
import { createPromptBuilder, type SystemPromptOptions } from '../prompt/system-prompt.ts';
import type { Part } from '../schema/message.ts';
import type { Task } from '../schema/task.ts';
import { redactParts } from './redact-parts.ts';

export interface SystemPromptParts extends Pick<SystemPromptOptions, 'workDir' | 'surroundings' | 'append'> {
  readonly instructionsFiles: readonly string[];
  /** Reads an instruction file from where it may be believed; null when it is not there. */
  readonly readInstructions: (file: string) => Promise<string | null>;
}

/** The system prompt of a run, with registered secrets taken out; its instruction files are read now, once. */
export async function composePromptBuilder(parts: SystemPromptParts, redact: (text: string) => string): Promise<PromptBuilder> {
  const files = { list: async () => [...parts.instructionsFiles, 'CLAUDE.md'], read: parts.readInstructions };
  const instructions = await loadInstructions(files, parts.instructionsFiles);
  const { platform } = process;
  const prompt = redact(createPromptBuilder({ ...parts, platform, instructions, tools: [], skillsIndex: '' }).build());
  return { build: () => prompt };
}

/** The first message of a run, with registered secrets taken out before it enters the history. */
export function composePrompt(task: Task, frame: PromptFrame, redact: (text: string) => string): readonly Part[] {
  return redactParts(renderPrompt(task, frame), redact);
}
