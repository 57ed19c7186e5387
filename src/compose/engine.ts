// The engine of a run: model, tools, session and limits put together, with our repair and token estimate.
import { createEngine, type Engine } from '../engine/engine.ts';
import type { LLMProvider, PromptBuilder, Session, ToolRegistry } from '../engine/ports.ts';
import { repairHistory } from '../memory/repair.ts';
import { estimateTokens } from '../memory/token-estimate.ts';
import type { EngineEvent } from '../schema/run.ts';
import type { Log, World } from '../schema/world.ts';

export interface EngineParts {
  readonly provider: LLMProvider;
  readonly registry: ToolRegistry;
  readonly workDir: string;
  readonly promptBuilder: PromptBuilder;
  readonly session: Session | undefined;
  readonly limits: { readonly maxTurns: number; readonly timeoutMs: number; readonly maxTokensTotal: number | null };
  readonly onEvent?: (event: EngineEvent) => void;
  readonly world: Pick<World, 'clock'>;
  readonly log: Log;
}

/** An engine ready to run. Throws ENGINE_BAD_OPTION. */
export function composeEngine(parts: EngineParts): Engine {
  return createEngine(parts.provider, parts.registry, parts.workDir, {
    maxTurns: parts.limits.maxTurns,
    timeoutMs: parts.limits.timeoutMs,
    maxTokensTotal: parts.limits.maxTokensTotal ?? 0,
    session: parts.session,
    promptBuilder: parts.promptBuilder,
    onEvent: parts.onEvent,
    clock: parts.world.clock,
    log: parts.log,
    repairHistory,
    estimateTokens,
  });
}
