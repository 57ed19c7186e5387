// What a repository says of itself: its instructions, skills and agents, read once before the run, from where they may be believed (B8).
import type { AgentDefinition } from '../agents/definition.ts';
import { type AgentFiles, loadAgents } from '../agents/load-agents.ts';
import { toolNames } from '../policy/permissions/rule.ts';
import { type InstructionFiles, type LoadedInstructions, loadInstructions } from '../prompt/load-instructions.ts';
import { oneLine } from '../schema/one-line.ts';
import type { Log } from '../schema/world.ts';
import { parseFrontMatter } from '../skills/front-matter.ts';
import { loadSkills, type Skill, type SkillFiles } from '../skills/load-skills.ts';
import { findDefinition } from '../tools/canonical-call.ts';

/** Files by paths relative to the repository: the base commit's in the Action, the disk's in the terminal. */
export type GuidanceFiles = InstructionFiles & SkillFiles & AgentFiles;

export interface Guidance {
  readonly instructions: LoadedInstructions;
  readonly skills: readonly Skill[];
  readonly agents: readonly AgentDefinition[];
  /** A skill's text as it was found: nothing is read while commands run, which could have changed it or what reads it. */
  readonly readSkill: (path: string) => Promise<string | null>;
}

const unreadable =
  'there is no such file, or its text is not here: it is not UTF-8, in Git LFS, outside of a partial checkout, or a link out of the repository';

/** Loads instructions, skills and agents; what is there and cannot be used is logged. */
export async function loadGuidance(files: GuidanceFiles, instructionsFiles: readonly string[], log: Log): Promise<Guidance> {
  const texts = new Map<string, string | null>();
  const keeping = {
    list: files.list,
    read: async (path: string) => {
      const text = await files.read(path);
      texts.set(path, text);
      return text;
    },
  };
  const { skills, problems } = await loadSkills(keeping);
  for (const problem of problems) log(`[skills] ${problem}`);
  const { agents, problems: ofAgents } = await loadAgents(files, { parse: parseFrontMatter, toolName });
  for (const problem of ofAgents) log(`[agents] ${problem}`);
  const kept = new Map(skills.map(({ path }) => [path, texts.get(path) ?? null]));
  texts.clear();
  const instructions = await loadInstructions(keeping, instructionsFiles);
  for (const [path, text] of texts) if (text === null) log(`[instructions] ${oneLine(path, 200)}: ${unreadable}; not used`);
  return {
    instructions,
    skills,
    agents,
    readSkill: async (path) => kept.get(path) ?? null,
  };
}

/** What other harnesses call our tools (`Read`, `Bash`, `Skill`). */
export function toolName(name: string): string {
  const ours = toolNames.map((each) => ({ name: each }));
  return findDefinition(name, ours)?.name ?? name;
}

/** What `task` and `use_skill` take here, as rules may name it. */
export function namesIn({ agents, skills }: Pick<Guidance, 'agents' | 'skills'>): Readonly<Record<string, readonly string[]>> {
  return { task: agents.map(({ name }) => name), use_skill: skills.map(({ name }) => name) };
}
