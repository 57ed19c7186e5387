// The engine of a run: model, tools, session and limits put together, with the compactor of the house.
import { createEngine, type Engine } from '../engine/engine.ts';
import type { EngineOptions } from '../engine/options.ts';
import type { LLMProvider, PromptBuilder, Session, ToolRegistry } from '../engine/ports.ts';
import { createSummarizationCompactor } from '../memory/compaction/summarization.ts';
import type { Origin } from '../schema/message.ts';
import type { CompactionRecord, EngineEvent } from '../schema/run.ts';
import type { Log, World } from '../schema/world.ts';
import { contextWindowOf } from './context-window.ts';
import type { Prices } from './prices.ts';
import { tellWords } from './told-words.ts';

/** What the engine takes as it is. */
type HandedOn = Pick<
  EngineOptions,
  'todoStore' | 'planMode' | 'permissions' | 'hooks' | 'approve' | 'background' | 'observer' | 'within' | 'outputSchema'
>;

/** 0 = no limit, and so is null. */
export interface EngineLimits {
  readonly maxTurns: number;
  readonly timeoutMs: number;
  readonly maxTokensTotal: number | null;
  /** US dollars; `prices` are loaded then. */
  readonly maxCostUsd: number | null;
}

export interface EngineParts extends HandedOn {
  readonly provider: LLMProvider;
  /** Where the model is asked that the next call goes to: how much fits it, and what it costs, hang on that. */
  readonly servingOrigin: () => Origin;
  readonly prices: Prices;
  readonly registry: ToolRegistry;
  readonly workDir: string;
  readonly promptBuilder: PromptBuilder;
  readonly session?: Session | undefined;
  readonly limits: EngineLimits;
  readonly onEvent?: (event: EngineEvent) => void;
  readonly world: Pick<World, 'clock'>;
  readonly log: Log;
}

/** An engine ready to run. Throws ENGINE_BAD_OPTION. */
export function composeEngine(parts: EngineParts): Engine {
  const { provider, servingOrigin, prices, registry, workDir, limits, world, onEvent, ...options } = parts;
  // Not those of summaries: they are no part of the conversation.
  const told = tellWords(provider, logged(parts));
  return createEngine(told.provider, registry, workDir, {
    ...options,
    maxTurns: limits.maxTurns,
    timeoutMs: limits.timeoutMs,
    maxTokensTotal: limits.maxTokensTotal ?? 0,
    maxCostUsd: limits.maxCostUsd ?? 0,
    priceOf: (usage, answered = servingOrigin()) => prices.priceOf(usage, answered),
    // The table of prices knows it, too, once it is there.
    contextWindow: () => prices.contextWindowOf(servingOrigin()) ?? contextWindowOf(servingOrigin().model),
    compactor: createSummarizationCompactor({ provider }),
    onEvent: told.onEvent,
    clock: world.clock,
  });
}

/** Of the events a compaction is in no other line of the log, and it explains why a model forgot. */
function logged({ onEvent, log }: EngineParts): (event: EngineEvent) => void {
  return (event) => {
    if (event.type === 'compaction') log(describeCompaction(event.turn, event.data));
    onEvent?.(event);
  };
}

function describeCompaction(
  turn: number,
  { strategy, tokensBefore, tokensAfter, messagesBefore, messagesAfter }: CompactionRecord,
): string {
  const tokens = `tokens_before=${tokensBefore} tokens_after=${tokensAfter}`;
  return `[engine] compaction=${strategy} turn=${turn} ${tokens} messages_before=${messagesBefore} messages_after=${messagesAfter}`;
}
