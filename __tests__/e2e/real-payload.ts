// Real webhook payloads (@octokit/webhooks-examples) adapted to the simulated repository: what GitHub sends beyond what we read stays in.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

type Json = Readonly<Record<string, unknown>>;

const definitionsSchema = z.array(z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }));
const file = path.join(import.meta.dirname, '../../node_modules/@octokit/webhooks-examples/api.github.com/index.json');
const definitions = definitionsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));

/** The published example of this event and action with every field that the simulated state knows put in its place. `schedule` has no example. */
export function realPayload(name: string, simulated: Json): Json {
  const examples = definitions.find((candidate) => candidate.name === name)?.examples ?? [];
  const example = examples.find(({ action }) => action === simulated.action) ?? examples[0];
  return example === undefined ? simulated : adapt(example, simulated);
}

/** Objects are merged, everything else is the simulated state's. */
function adapt(example: Json, simulated: Json): Json {
  const entries = Object.entries(simulated).map(([key, value]) => {
    const known = example[key];
    return [key, isObject(known) && isObject(value) ? adapt(known, value) : value] as const;
  });
  return { ...example, ...Object.fromEntries(entries) };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
