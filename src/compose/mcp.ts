// The MCP servers of a run: from trusted configuration to the tools that the plan allows. What a server is, is mcp/'s matter.
import { parseMcpConfig } from '../mcp/parse-config.ts';
import { secretsIn, textsOf } from '../mcp/secrets.ts';
import { isOffered, type McpServer } from '../mcp/server.ts';
import { type McpTools, startMcpServers } from '../mcp/start-servers.ts';
import { serverSegment } from '../mcp/tool-names.ts';
import { hasTellingPiece } from '../redact/secret-finder.ts';
import { Harness9Error } from '../schema/error.ts';
import type { EdgeParts } from './edge-parts.ts';
import { loadConfigText, parseConfig } from './trusted-config.ts';
import { version } from './version.ts';

/** What rules may name: the tools of the servers that are there, and of the others whatever begins so. */
export interface NameableTools {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
}

type ComposedMcp = McpTools & { readonly nameable: NameableTools };

const none: ComposedMcp = {
  tools: [],
  notices: [],
  close: async () => undefined,
  nameable: { names: [], prefixes: [] },
};

/** Starts the servers that this run may have. Throws MCP_CONFIG, MCP_START, CONFIG_UNREADABLE or CONFIG_MALFORMED; then none is left. */
export async function composeMcp(parts: EdgeParts, signal: AbortSignal): Promise<ComposedMcp> {
  const { settings, source, plan, tools, world, outgoing } = parts;
  const text = await loadConfigText('mcp_config', settings.mcpConfig, source);
  if (text === null) return none;
  const servers = parseMcpConfig(parseConfig('mcp_config', text, source), source.nameOf('mcp_config'));
  refuseSecrets(servers, parts);
  const writtenOut = servers.flatMap((server) => (server.kind === 'http' ? textsOf(server).filter(looksLikeKey) : []));
  outgoing.redactor.register([...secretsIn(servers, world.env), ...writtenOut]);
  const held = servers.map((server) => ({ server, reason: reasonToHold(server, parts) }));
  const started = await startMcpServers(
    held.flatMap(({ server, reason }) => (reason === undefined ? [server] : [])),
    {
      startProcess: tools.startProcess,
      fetch: world.fetch,
      env: world.env,
      clientInfo: { name: 'harness9', version },
      clock: world.clock,
      log: outgoing.log,
      redact: outgoing.redactor.secrets,
    },
    signal,
  );
  return {
    ...started,
    tools: started.tools.filter(({ definition }) => plan.tools === 'all' || definition.effect === 'read'),
    notices: [
      ...held.flatMap(({ server, reason }) => (reason === undefined ? [] : [`The MCP server "${server.name}" ${reason}.`])),
      ...started.notices,
    ],
    nameable: nameableOf(servers, started),
  };
}

function nameableOf(servers: readonly McpServer[], { tools }: McpTools): NameableTools {
  const names = tools.map(({ definition }) => definition.name);
  const prefixes = servers.map(({ name }) => `mcp__${serverSegment(name)}__`);
  return { names, prefixes: prefixes.filter((prefix) => !names.some((name) => name.startsWith(prefix))) };
}

/** Names seldom have a word with a random piece and a digit in it, keys nearly always do; some addresses hold one. */
function looksLikeKey(text: string): boolean {
  return text.split(/[^A-Za-z0-9]+/).some((word) => /\d/.test(word) && hasTellingPiece(word));
}

/** Why a run does not have a server, by what the run is; that a server cannot be started is another matter. */
function reasonToHold(server: McpServer, { plan, tools }: EdgeParts): string | undefined {
  if (!isOffered(server, plan.trust)) return `is not for ${plan.trust} runs`;
  const readsOnly = plan.tools !== 'all';
  if (readsOnly && server.readOnlyTools.length === 0) return 'has no `read_only_tools`, and this run only reads';
  // What a server is made of may lie in the workspace, as what bash runs.
  const isRefused = server.kind === 'stdio' && !tools.mayExecute && (readsOnly || tools.startProcess !== undefined);
  return isRefused ? 'is a command, and this run runs none' : undefined;
}

/** What we know as a secret, or looks like a vendor's key, must not come where commands can read it, by whatever way it got there. */
function refuseSecrets(servers: readonly McpServer[], { source, outgoing }: EdgeParts): void {
  const { scan } = outgoing.redactor;
  for (const server of servers) {
    if (server.kind !== 'stdio') continue;
    const hit = [...server.argv, ...Object.values(server.env)].map(scan).find(({ exact, pattern }) => exact || pattern !== null);
    if (hit === undefined) continue;
    const what = hit.exact ? 'a secret of this run' : `what looks like a secret (${hit.pattern})`;
    throw new Harness9Error({
      code: 'MCP_CONFIG',
      message: `${source.nameOf('mcp_config')}: the command line or \`env\` of the MCP server "${server.name}" holds ${what}`,
      hint: 'The agent’s commands could read it there: reach a server that needs a secret over HTTP (`url` and `headers`).',
    });
  }
}
