// The index of skills in the system prompt: what there is, so that the model can ask for the text of one. Pure.
import type { Skill } from './load-skills.ts';

/** It goes with every request; beyond it skills are named only. */
const maxChars = 16_384;

/** The section "Available Skills", one line a skill; empty when there is none. */
export function renderSkillsIndex(skills: readonly Skill[]): string {
  if (skills.length === 0) return '';
  const lines: string[] = [];
  const nameOnly: string[] = [];
  let left = maxChars;
  for (const skill of skills) {
    const line = renderLine(skill);
    left -= line.length;
    if (left >= 0) lines.push(line);
    else nameOnly.push(skill.name);
  }
  const more = nameOnly.length === 0 ? [] : [`Others, without room for a description: ${nameOnly.join(', ')}`];
  return [heading, ...lines, ...more].join('\n');
}

const heading = `# Available Skills
When the task fits one of these, load it with use_skill before you begin. What use_skill answers counts as instructions of this repository.`;

function renderLine({ name, description, trigger }: Skill): string {
  return `- ${name}: ${description}${trigger === '' ? '' : ` (trigger: ${trigger})`}`;
}
