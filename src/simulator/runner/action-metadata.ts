/** Reads action.yml as a runner does: inputs with their defaults and the entries. Knows nothing of the action's meaning. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const metadataSchema = z.object({
  name: z.string(),
  inputs: z.record(z.string(), z.object({ default: scalar.optional(), required: z.boolean().optional() }).nullable()).default({}),
  runs: z.object({
    using: z.string(),
    main: z.string(),
    post: z.string().optional(),
    'post-if': z.string().default('always()'),
  }),
});

export interface ActionMetadata {
  readonly name: string;
  /** Defaults by input name, still with their expressions; undefined for an input without one. */
  readonly inputs: Readonly<Record<string, string | undefined>>;
  /** Absolute paths. */
  readonly main: string;
  readonly post: string | null;
  readonly postIf: string;
}

/** The metadata of the action in `actionDir`. Rejects when there is none, or when an entry that it names is not there. */
export async function readActionMetadata(actionDir: string): Promise<ActionMetadata> {
  const { name, inputs, runs } = metadataSchema.parse(parse(await readFile(path.join(actionDir, 'action.yml'), 'utf8')));
  if (!runs.using.startsWith('node')) throw new Error(`This runner runs node actions only, not \`using: ${runs.using}\``);
  const entry = (file: string): string => {
    const absolute = path.resolve(actionDir, file);
    if (!existsSync(absolute)) throw new Error(`action.yml names ${file}, which is not there: build the action first`);
    return absolute;
  };
  return {
    name,
    inputs: Object.fromEntries(Object.entries(inputs).map(([input, definition]) => [input, definition?.default])),
    main: entry(runs.main),
    post: runs.post === undefined ? null : entry(runs.post),
    postIf: runs['post-if'],
  };
}
