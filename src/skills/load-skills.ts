// Finds the skills of a repository through a reader that the caller gives, and keeps their index; the texts stay where they are (B8, G1-44).
import { createHash } from 'node:crypto';
import { foldName } from '../schema/fold-name.ts';
import { oneLine } from '../schema/one-line.ts';
import { parseSkillText } from './skill-text.ts';

/** Files by paths relative to the repository, with slashes. In the Action they are the base commit's, in the terminal the disk's. */
export interface SkillFiles {
  /** The paths of all files below `folder`, sorted; none when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** A file's text; null when there is none, when it is no text or not here, or when a link leads out of the repository. Many at once are fine. */
  read(path: string): Promise<string | null>;
}

/** What is known of a skill before it is used. */
export interface Skill {
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** One line; empty when there is none. */
  readonly trigger: string;
  /** Of the file with its text. */
  readonly path: string;
  /** The other files of its folder, as paths for read_file. */
  readonly files: readonly string[];
  /** Of the text as it was found, so that nothing else is ever taken for it. */
  readonly digest: string;
}

/** Sorted by name. `problems`: a line for each file that is not used, and why. */
export interface LoadedSkills {
  readonly skills: readonly Skill[];
  readonly problems: readonly string[];
}

/** An earlier folder wins over a later one. */
const skillFolders = ['skills', '.harness9/skills', '.claude/skills', '.agents/skills'];

const maxSkills = 64;
/** A folder of documents that only happens to be called `skills` is not read to its end. */
const maxCandidates = 256;
const maxFiles = 100;
const maxDescriptionChars = 1_024;
const maxTriggerChars = 256;
const maxProblemChars = 300;

/** All skills that can be used. A file that cannot be is skipped, with a problem. */
export async function loadSkills(files: SkillFiles): Promise<LoadedSkills> {
  const candidates = (await Promise.all(skillFolders.map((folder) => findCandidates(files, folder)))).flat();
  const skills = new Map<string, Skill>();
  const problems: string[] = [];
  const skip = (path: string, why: string) => problems.push(oneLine(`${path}: ${why}; skipped`, maxProblemChars));
  const read = candidates
    .slice(0, maxCandidates)
    .map(async (candidate) => [candidate.path, await loadSkill(files, candidate)] as const);
  let surplus = 0;
  for (const [path, skill] of await Promise.all(read)) {
    if (typeof skill === 'string') {
      skip(path, skill);
      continue;
    }
    const winner = skills.get(skill.name);
    if (winner !== undefined) skip(path, `the skill ${skill.name} is taken from ${winner.path}`);
    else if (skills.size === maxSkills) surplus += 1;
    else skills.set(skill.name, skill);
  }
  if (surplus > 0) problems.push(`${surplus} more skills are not used: ${maxSkills} are the most`);
  const unread = candidates.length - maxCandidates;
  if (unread > 0) problems.push(`${unread} more files in the skill folders are not looked at`);
  return { skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

/** The digest of a skill's text. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

interface Candidate {
  readonly path: string;
  readonly ownName: string;
  readonly files: readonly string[];
}

/** `<name>/SKILL.md` first, then `<name>.md`. */
async function findCandidates(files: SkillFiles, folder: string): Promise<readonly Candidate[]> {
  const listed = (await files.list(folder)).map((path) => ({ path, parts: path.slice(folder.length + 1).split('/') }));
  const inFolders = listed.filter(({ parts }) => parts.length === 2 && parts[1] === 'SKILL.md');
  const flat = listed.filter(({ parts }) => parts.length === 1 && parts[0]?.endsWith('.md'));
  return [
    ...inFolders.map(({ path, parts: [ownName = ''] }) => ({
      path,
      ownName,
      files: listed
        .filter((other) => other.parts[0] === ownName && other.path !== path && isPlain(other.path))
        .map((other) => other.path)
        .slice(0, maxFiles),
    })),
    ...flat.map(({ path, parts: [file = ''] }) => ({ path, ownName: file.slice(0, -'.md'.length), files: [] })),
  ];
}

/** A name that shows as what it is: it goes to the model on a line of its own. */
function isPlain(path: string): boolean {
  return path === oneLine(path, maxProblemChars);
}

const unreadable =
  'its text is not here: it is binary, in Git LFS, outside of a partial checkout, or a link that leads nowhere or out of the repository';

/** The skill, or why it is none. */
async function loadSkill(files: SkillFiles, { path, ownName, files: others }: Candidate): Promise<Skill | string> {
  if (!isPlain(path)) return 'its name does not show as what it is';
  const text = await files.read(path);
  if (text === null) return unreadable;
  const parsed = parseSkillText(text);
  if (parsed.kind === 'broken') return parsed.problem;
  const { name, description, triggers } = parsed.frontMatter;
  if (description === undefined) return 'it has no front matter with a description';
  const folded = foldName(name ?? ownName);
  if (!/^[a-z0-9-]{1,64}$/.test(folded)) {
    return `the name ${JSON.stringify((name ?? ownName).slice(0, 80))} is not of 1 to 64 letters, digits and dashes`;
  }
  return {
    name: folded,
    description: oneLine(description, maxDescriptionChars),
    trigger: oneLine(triggers.join(', '), maxTriggerChars),
    path,
    files: others,
    digest: digestOf(text),
  };
}
