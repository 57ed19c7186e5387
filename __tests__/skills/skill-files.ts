// A reader for the skills' tests, of files from an object.
import type { SkillFiles } from '../../src/skills/load-skills.ts';

export type Texts = Readonly<Record<string, string>>;

/** The files of an object; what is put into it later is there later. */
export function filesOf(texts: Texts): SkillFiles {
  return {
    list: async (folder) =>
      Object.keys(texts)
        .filter((path) => path.startsWith(folder === '' ? '' : `${folder}/`))
        .sort(),
    read: async (path) => texts[path] ?? null,
  };
}

/** A skill file with the lines of a front matter. */
export function skillText(frontMatter: string, body = 'Do it well.'): string {
  return `---\n${frontMatter}\n---\n\n${body}\n`;
}
