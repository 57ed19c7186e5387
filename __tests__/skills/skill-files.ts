// Readers for the skills' tests: files from an object, and those of a commit as the Action reads them.
import type { BaseReader } from '../../src/github/checkout/read-base.ts';
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

/** The files of a commit. */
export function filesOfCommit(base: BaseReader, commit: string, signal: AbortSignal): SkillFiles {
  return {
    list: async (folder) => {
      const paths = (await base.listTree(commit, signal)).map(({ path }) => path);
      return paths.filter((path) => path.startsWith(`${folder}/`)).sort();
    },
    read: async (path) => await (await base.openTree(commit, signal)).read(path, signal),
  };
}

/** A skill file with the lines of a front matter. */
export function skillText(frontMatter: string, body = 'Do it well.'): string {
  return `---\n${frontMatter}\n---\n\n${body}\n`;
}
