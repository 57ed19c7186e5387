// A process of its own that runs one traced turn: `node traced-child.ts <endpoint>`; without an endpoint it only loads src/observe. What it
// found goes to its parent as one message; stdout and stderr are left to whoever else would write there.
import { readdirSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';

export interface ChildReport {
  /** Packages of OpenTelemetry that were loaded, by import or require. */
  readonly loaded: readonly string[];
  readonly log: readonly string[];
  readonly stopReason: string | undefined;
  /** Whether anything was registered with OpenTelemetry's global API. */
  readonly isGlobal: boolean;
}

const loaded = new Set<string>();
registerHooks({
  load(url, context, next) {
    const name = /node_modules\/(@opentelemetry\/[^/]+)\//.exec(url)?.[1];
    if (name !== undefined) loaded.add(name);
    return next(url, context);
  },
});

const source = path.join(import.meta.dirname, '../../../src/observe');
for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.ts')) await import(path.join(source, file));
}

const [endpoint] = process.argv.slice(2);
const log: string[] = [];
const stopReason = endpoint === undefined ? undefined : await traceOneRun(endpoint);
const isGlobal = Object.getOwnPropertySymbols(globalThis).some((symbol) => symbol.description?.startsWith('opentelemetry'));
process.send?.({ loaded: [...loaded].sort(), log, stopReason, isGlobal } satisfies ChildReport);
process.disconnect?.();

async function traceOneRun(url: string): Promise<string> {
  const { createTracing } = await import('../../../src/observe/otel/create-tracing.ts');
  const { createEngine } = await import('../../../src/engine/engine.ts');
  const { createScriptedProvider } = await import('../../../src/provider/scripted/scripted-provider.ts');
  const { systemClock } = await import('../../../src/schema/system-clock.ts');
  const tracing = await createTracing({
    endpoint: url,
    headers: { 'x-key': 'ours' },
    captureContent: false,
    redact: (text) => text,
    resource: { 'service.name': 'harness9' },
    clock: systemClock,
    log: (line) => log.push(line),
  });
  const registry = { getAvailableTools: () => [], execute: () => Promise.reject(new Error('there are no tools')) };
  const model = createScriptedProvider({ turns: [{ text: 'done', usage: { inputTokens: 3, outputTokens: 2 } }] });
  const traced = tracing.traceProvider(model, { provider: 'scripted', model: 'script' });
  const engine = createEngine(traced, tracing.traceRegistry(registry), '/w', { observer: tracing.observer });
  const result = await engine.run('go');
  await tracing.shutdown();
  return result.stopReason;
}
