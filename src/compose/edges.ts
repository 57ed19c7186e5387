// What stands around the engine by trusted configuration: rules, hooks, MCP servers, traces. Each is its folder's own; here they come together.
import type { Hook, ToolRegistry } from '../engine/ports.ts';
import type { Collected } from '../github/change/collect-changes.ts';
import type { Tracing } from '../observe/otel/create-tracing.ts';
import { messageOf } from '../schema/error.ts';
import type { RunResult } from '../schema/run.ts';
import type { Tool } from '../tools/tool.ts';
import type { EdgeParts } from './edge-parts.ts';
import { hideFiles } from './hidden-files.ts';
import { composeHooks } from './hooks.ts';
import { composeMcp } from './mcp.ts';
import { composePermissions, type Permissions } from './permissions.ts';
import { restrictRegistry } from './restricted-registry.ts';
import { composeTracing } from './tracing.ts';

export interface Edges {
  readonly permissions: Permissions;
  readonly hooks: readonly Hook[];
  readonly mcpTools: readonly Tool[];
  readonly tracing: Tracing | undefined;
  /** What people should know: a server that could not be started, a rule that is about no call… */
  readonly notices: readonly string[];
  /** The tools as a run gets them: what no rule will ever let run is not offered, and every call is traced. */
  aroundTools(registry: ToolRegistry): ToolRegistry;
  /** The result of a run with what `verify_command` came to; `collected`: where the work is measured. */
  verified(result: RunResult, collected?: Collected): RunResult;
  /** Ends servers and sends the last traces. Never rejects. */
  close(): Promise<void>;
}

/** Rejects for configuration that cannot be read, or a server that must be there and is not; then nothing is left running. */
export async function composeEdges(parts: EdgeParts, signal: AbortSignal): Promise<Edges> {
  const permissions = await composePermissions(parts);
  const { hooks, verified } = await composeHooks(parts, permissions);
  const tracing = await composeTracing(parts, signal);
  const mcp = await composeMcp(parts, signal);
  const { log } = parts.outgoing;
  return {
    permissions,
    hooks: tracing === undefined ? hooks : hooks.map(tracing.traceHook),
    mcpTools: mcp.tools,
    tracing,
    notices: [...mcp.notices, ...permissions.warnings(mcp.nameable)],
    aroundTools: (registry) => {
      const offered = restrictRegistry(registry, (tools) => tools.filter(({ name }) => permissions.offers(name)));
      const registryOfRun = hideFiles(offered, permissions.hiddenFrom);
      return tracing?.traceRegistry(registryOfRun) ?? registryOfRun;
    },
    verified,
    close: async () => {
      const ends = await Promise.allSettled([mcp.close(), tracing?.shutdown()]);
      for (const end of ends) if (end.status === 'rejected') log(`[edges] warning=not_closed error=${messageOf(end.reason)}`);
    },
  };
}
