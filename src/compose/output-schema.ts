// The setting `output_schema`: where its text is read, and what is made of it. What a schema may be is output/read-schema.ts.
import type { OutputSchema } from '../engine/ports.ts';
import { readSchema } from '../output/read-schema.ts';
import type { Outgoing } from './outgoing.ts';
import { type ConfigSource, loadConfigText } from './trusted-config.ts';

/** The form of the final message; undefined when none is asked for. Throws CONFIG_UNREADABLE and OUTPUT_SCHEMA. */
export async function loadOutputSchema(
  value: string | null,
  source: ConfigSource,
  { redactor, log }: Outgoing,
): Promise<OutputSchema | undefined> {
  const text = await loadConfigText('output_schema', value, source);
  if (text === null) return undefined;
  // It goes to the model.
  return await readSchema(redactor.secrets(text), { name: source.nameOf('output_schema'), redact: redactor.outward, log });
}
