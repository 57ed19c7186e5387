// The use_skill tool: the text of one skill, read when it is asked for (spec, PromptBuilder and Skills). Makes no path of what the model says.
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { cutAtLine } from '../schema/cut-at-line.ts';
import { foldName } from '../schema/fold-name.ts';
import { oneLine } from '../schema/one-line.ts';
import { digestOf, type Skill, type SkillFiles } from './load-skills.ts';
import { parseSkillText } from './skill-text.ts';

/** With the list of files the answer stays below the registry's own fence of 50,000 bytes, which cuts out of the middle. */
const maxBodyBytes = 40_000;
const maxListChars = 8_000;
const maxNameChars = 100;

const argumentsSchema = z.object({ skill_name: z.string().describe('A name from Available Skills.') });

/** use_skill over `skills`, as a specification that tools/tool.ts (`defineTool`) makes a tool of. */
export function createUseSkillTool(skills: readonly Skill[], files: Pick<SkillFiles, 'read'>) {
  return {
    name: 'use_skill',
    description: 'Loads the full text of a skill and the list of its files. Call it before the work that the skill is about.',
    place: 'main',
    effect: 'read',
    schema: argumentsSchema,
    run: async ({ skill_name: asked }: z.infer<typeof argumentsSchema>) => {
      const skill = skills.find(({ name }) => name === foldName(asked));
      if (skill === undefined) return { output: describeUnknown(asked, skills), isError: true };
      const body = await loadBody(skill, files);
      if (body !== undefined) return { output: renderSkill(skill, body), isError: false };
      return { output: `use_skill: ${skill.path} is not what it was when the run began, so it is not used.`, isError: true };
    },
  } as const;
}

/** Undefined when the file is another one by now: what a run wrote itself must not come back as instructions. */
async function loadBody({ path, digest }: Skill, files: Pick<SkillFiles, 'read'>): Promise<string | undefined> {
  const text = await files.read(path);
  if (text === null || digestOf(text) !== digest) return undefined;
  const parsed = parseSkillText(text);
  return parsed.kind === 'read' ? parsed.body : undefined;
}

function describeUnknown(asked: string, skills: readonly Skill[]): string {
  const wanted = foldName(asked.slice(0, maxNameChars));
  const names = skills
    .map(({ name }) => ({ name, far: distance(wanted, name) }))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
  const there = names.length === 0 ? 'There is none in this repository.' : `Skills, the nearest first: ${names.join(', ')}.`;
  return `use_skill: there is no skill ${JSON.stringify(oneLine(asked, maxNameChars))}. ${there}`;
}

function renderSkill({ name, path, files }: Skill, body: string): string {
  const kept = cutAtLine(body, maxBodyBytes);
  const note = kept.length < body.length ? `\n(cut here for its size; read_file shows the rest of ${path})` : '';
  return [`# Skill ${name} (${path})`, kept === '' ? '(no text)' : kept + note, ...renderFiles(files)].join('\n\n');
}

/** A section, or none. They are opened where the run works: on a pull request that is its own version, not the base's. */
function renderFiles(files: readonly string[]): readonly string[] {
  let left = maxListChars;
  const lines = files.filter((file) => {
    left -= file.length + 3;
    return left >= 0;
  });
  if (lines.length === 0) return [];
  return [`Its other files, for read_file:\n${lines.map((file) => `- ${file}`).join('\n')}`];
}
