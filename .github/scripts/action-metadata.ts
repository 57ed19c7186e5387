// Owns the reading of action.yml for the checks: its inputs and outputs as data. Never judges it.
import { parse } from 'yaml';
import { z } from 'zod';
import { readIfThere } from './problems.ts';

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const actionSchema = z.object({
  inputs: z.record(z.string(), z.object({ description: z.string(), default: text.optional() })),
  outputs: z.record(z.string(), z.object({ description: z.string() })),
});

/** What the tables and the example check need of action.yml. */
export type ActionMetadata = z.output<typeof actionSchema>;

/** Loads action.yml; undefined when the file is not there, throws when an input or output lacks its description. */
export async function loadActionMetadata(): Promise<ActionMetadata | undefined> {
  const source = await readIfThere('action.yml');
  return source === undefined ? undefined : actionSchema.parse(parse(source));
}
