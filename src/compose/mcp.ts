// The MCP servers of a run: from trusted configuration to the tools that the plan allows. What a server is, is mcp/'s matter.
import { parseMcpConfig } from '../mcp/parse-config.ts';
import { secretsIn } from '../mcp/secrets.ts';
import { isOffered } from '../mcp/server.ts';
import { type McpTools, startMcpServers } from '../mcp/start-servers.ts';
import type { EdgeParts } from './edge-parts.ts';
import { loadConfigText, parseConfig } from './trusted-config.ts';
import { version } from './version.ts';

const none: McpTools = { tools: [], notices: [], close: async () => undefined };

/** Starts the servers that this run may have. Throws MCP_CONFIG, MCP_START, CONFIG_UNREADABLE or CONFIG_MALFORMED; then none is left. */
export async function composeMcp(parts: EdgeParts, signal: AbortSignal): Promise<McpTools> {
  const { settings, source, plan, tools, world, outgoing } = parts;
  const text = await loadConfigText('mcp_config', settings.mcpConfig, source);
  if (text === null) return none;
  const servers = parseMcpConfig(parseConfig('mcp_config', text, source), source.nameOf('mcp_config'));
  outgoing.redactor.register(secretsIn(servers, world.env));
  const [offered, held] = [
    servers.filter((each) => isOffered(each, plan.trust)),
    servers.filter((each) => !isOffered(each, plan.trust)),
  ];
  const started = await startMcpServers(
    offered,
    {
      // What a server is made of may lie in the workspace, as what bash runs.
      startProcess: tools.mayExecute ? tools.startProcess : undefined,
      fetch: world.fetch,
      env: world.env,
      clientInfo: { name: 'harness9', version },
      clock: world.clock,
      log: outgoing.log,
    },
    signal,
  );
  return {
    ...started,
    tools: started.tools.filter(({ definition }) => plan.tools === 'all' || definition.effect === 'read'),
    notices: [...held.map(({ name }) => `The MCP server ${name} is not for ${plan.trust} runs.`), ...started.notices],
  };
}
