// Files of sub-agents from an object, and how compose reads them.
import type { AgentFiles, AgentReader } from '../../src/agents/load-agents.ts';
import { parseFrontMatter } from '../../src/skills/front-matter.ts';
import { findDefinition } from '../../src/tools/canonical-call.ts';
import { hostToolDefinitions } from '../../src/tools/host-tools.ts';

export function filesOf(texts: Readonly<Record<string, string | null>>): AgentFiles {
  return {
    list: async (folder) =>
      Object.keys(texts)
        .filter((path) => path.startsWith(`${folder}/`))
        .sort(),
    read: async (path) => texts[path] ?? null,
  };
}

export const reader: AgentReader = {
  parse: parseFrontMatter,
  toolName: (name) => findDefinition(name, hostToolDefinitions())?.name ?? name,
};

/** An agent's file with the lines of a front matter. */
export function agentText(frontMatter: string, body = 'Do it well.'): string {
  return `---\n${frontMatter}\n---\n\n${body}\n`;
}
