// An engine whose runs are traced, in either mode, with a scripted model and tools that are functions.
import { createEngine } from '../../../src/engine/engine.ts';
import type { EngineOptions } from '../../../src/engine/options.ts';
import type { LLMProvider, ToolRegistry } from '../../../src/engine/ports.ts';
import { createTracing, type Tracing, type TracingOptions } from '../../../src/observe/otel/create-tracing.ts';
import type { RunResult } from '../../../src/schema/run.ts';
import { systemClock } from '../../../src/schema/system-clock.ts';
import { type Mode, playIn } from '../../engine/scene.ts';

export const tracedModel = { provider: 'openai', model: 'gpt-x' };

/** A tracing with everything that has to be given, and its log. */
export async function startTracing(
  endpoint: string,
  options: Partial<TracingOptions> = {},
): Promise<{ readonly tracing: Tracing; readonly log: string[] }> {
  const log: string[] = [];
  const tracing = await createTracing({
    endpoint,
    headers: {},
    captureContent: false,
    redact: (text) => text,
    resource: { 'service.name': 'harness9', 'service.version': '0.0.1' },
    clock: systemClock,
    log: (line) => log.push(line),
    ...options,
  });
  return { tracing, log };
}

interface TracedParts {
  readonly tracing: Tracing;
  readonly model: LLMProvider;
  readonly registry: ToolRegistry;
  readonly options?: EngineOptions;
}

/** Runs it once, with model, tools and run traced. */
export async function playTraced(
  mode: Mode,
  { tracing, model, registry, options = {} }: TracedParts,
  prompt = 'go',
  signal?: AbortSignal,
): Promise<RunResult> {
  const engine = createEngine(tracing.traceProvider(model, tracedModel), tracing.traceRegistry(registry), '/w', {
    observer: tracing.observer,
    ...options,
  });
  return await playIn(mode, engine, prompt, signal);
}
