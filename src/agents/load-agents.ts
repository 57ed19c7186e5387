// Finds a repository's own sub-agents through a reader that the caller gives, beside those that are always there. Starts none.
import { oneLine } from '../schema/one-line.ts';
import { builtInAgents } from './built-in.ts';
import { type AgentDefinition, type AgentFile, type AgentReading, readAgent } from './definition.ts';

/** Files by paths relative to the repository, with slashes. In the Action they are the base commit's, in the terminal the disk's. */
export interface AgentFiles {
  /** The paths of all files below `folder`, sorted; none when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** A file's text; null when there is none, when it is no text or not here, or when a link leads out of the repository. Many at once are fine. */
  read(path: string): Promise<string | null>;
}

/** How files are read, in words of ours. `toolName`: our name for what another harness calls a tool; any other name as it is. */
export interface AgentReader {
  readonly parse: (text: string) => AgentFile;
  readonly toolName: (name: string) => string;
}

/** Sorted by name. `problems`: a line for each file that is not used, or not wholly, and why. */
export interface LoadedAgents {
  readonly agents: readonly AgentDefinition[];
  readonly problems: readonly string[];
}

/** An earlier folder wins over a later one. */
const agentFolders = ['.harness9/agents', '.claude/agents'];

const maxAgents = 32;
/** A folder of other documents is not read to its end. */
const maxCandidates = 128;
const maxProblemChars = 300;

const unreadable =
  'its text is not here: it is binary, in Git LFS, outside of a partial checkout, or a link that leads nowhere or out of the repository';

/** All sub-agents that can be used: those of files, and the built-in ones whose names no file takes. A file that cannot be used is a problem. */
export async function loadAgents(files: AgentFiles, reader: AgentReader): Promise<LoadedAgents> {
  const paths = (await Promise.all(agentFolders.map((folder) => findCandidates(files, folder)))).flat();
  const winners = new Map<string, { readonly agent: AgentDefinition; readonly path: string }>();
  const problems: string[] = [];
  const tell = (path: string, what: string) => problems.push(oneLine(`${path}: ${what}`, maxProblemChars));
  const read = paths.slice(0, maxCandidates).map(async (path) => [path, await loadAgent(files, path, reader)] as const);
  let surplus = 0;
  for (const [path, reading] of await Promise.all(read)) {
    if (reading.kind === 'broken') {
      tell(path, `${reading.problem}; skipped`);
      continue;
    }
    const { agent, notes } = reading;
    const winner = winners.get(agent.name);
    if (winner !== undefined) tell(path, `the agent ${agent.name} is taken from ${winner.path}; skipped`);
    else if (winners.size === maxAgents) surplus += 1;
    else {
      winners.set(agent.name, { agent, path });
      for (const note of notes) tell(path, note);
    }
  }
  if (surplus > 0) problems.push(`${surplus} more agents are not used: ${maxAgents} are the most`);
  if (paths.length > maxCandidates)
    problems.push(`${paths.length - maxCandidates} more files in the folders of agents are not looked at`);
  const own = [...winners.values()].map(({ agent }) => agent);
  const all = [...own, ...builtInAgents.filter(({ name }) => !winners.has(name))];
  return { agents: all.sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

/** The Markdown files that lie in the folder itself. */
async function findCandidates(files: AgentFiles, folder: string): Promise<readonly string[]> {
  return (await files.list(folder)).filter((path) => /^[^/]*\.md$/.test(path.slice(folder.length + 1)));
}

async function loadAgent(files: AgentFiles, path: string, { parse, toolName }: AgentReader): Promise<AgentReading> {
  // It stands in a line of the log.
  if (path !== oneLine(path, maxProblemChars)) return { kind: 'broken', problem: 'its name does not show as what it is' };
  const text = await files.read(path);
  if (text === null) return { kind: 'broken', problem: unreadable };
  const ownName = path.slice(path.lastIndexOf('/') + 1, -'.md'.length);
  return readAgent(parse(text), ownName, toolName);
}
