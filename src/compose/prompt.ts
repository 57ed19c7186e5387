// What the model is told: the system prompt with the trusted instructions, and the task as fenced data.
import type { PromptBuilder } from '../engine/ports.ts';
import { type PromptFrame, renderPrompt } from '../prompt/render-prompt.ts';
import { createPromptBuilder, type SystemPromptOptions } from '../prompt/system-prompt.ts';
import type { Part } from '../schema/message.ts';
import type { Task } from '../schema/task.ts';
import type { World } from '../schema/world.ts';
import { renderSkillsIndex } from '../skills/render-index.ts';
import type { Guidance } from './guidance.ts';
import { redactParts } from './redact-parts.ts';

export interface SystemPromptParts
  extends Pick<SystemPromptOptions, 'workDir' | 'surroundings' | 'role' | 'append' | 'tools' | 'hasForm'> {
  readonly guidance: Guidance;
  readonly world: Pick<World, 'clock'>;
}

/** What the prompts of a run and of its sub-agents have in common. */
export type AgentPrompt = Pick<SystemPromptParts, 'workDir' | 'guidance' | 'append'> & {
  readonly world: Pick<World, 'clock' | 'randomHex'>;
};

/** The system prompt of a run, with registered secrets taken out. */
export function composePromptBuilder(
  { guidance, world, ...parts }: SystemPromptParts,
  redact: (text: string) => string,
): PromptBuilder {
  const { instructions, skills } = guidance;
  const { platform } = process;
  const date = world.clock.now().toISOString().slice(0, 10);
  const prompt = redact(
    createPromptBuilder({ ...parts, platform, date, instructions, skillsIndex: renderSkillsIndex(skills) }).build(),
  );
  return { build: () => prompt };
}

/** The first message of a run, with registered secrets taken out before it enters the history. */
export function composePrompt(task: Task, frame: PromptFrame, redact: (text: string) => string): readonly Part[] {
  return redactParts(renderPrompt(task, frame), redact);
}
