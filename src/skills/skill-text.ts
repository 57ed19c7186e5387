// What a skill file says of itself, and its text. Pure; the file is hostile.
import { z } from 'zod';
import { parseFrontMatter } from './front-matter.ts';

/** What we use of it; other keys are other harnesses' own. */
export interface FrontMatter {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly triggers: readonly string[];
}

/** `problem` says why the front matter cannot be used. */
export type SkillText =
  | { readonly kind: 'read'; readonly frontMatter: FrontMatter; readonly body: string }
  | { readonly kind: 'broken'; readonly problem: string };

const triggersSchema = z
  .union([z.string().transform((one) => [one]), z.array(z.string())])
  .optional()
  .transform((triggers) => triggers ?? []);
const fieldsSchema = z.object({ name: z.string().optional(), description: z.string().optional(), trigger: triggersSchema });

/** Front matter and body; a text without front matter is all body. */
export function parseSkillText(text: string): SkillText {
  const parsed = parseFrontMatter(text);
  if (parsed.kind === 'broken') return parsed;
  const fields = fieldsSchema.safeParse(parsed.fields);
  if (!fields.success) return { kind: 'broken', problem: `the front matter cannot be used: ${z.prettifyError(fields.error)}` };
  const { name, description, trigger: triggers } = fields.data;
  const frontMatter = { name: name?.trim() || undefined, description: description?.trim() || undefined, triggers };
  return { kind: 'read', frontMatter, body: parsed.body };
}
