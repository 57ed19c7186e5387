// Takes a skill file apart: the YAML between the first two lines of three dashes, and the text after them. Pure; the file is hostile.
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { messageOf } from '../schema/error.ts';

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

/** Names, a description and triggers are not longer, and a parser is not fed with more. */
const maxChars = 8_192;

const none: FrontMatter = { name: undefined, description: undefined, triggers: [] };

/** Front matter and body, without a byte order mark and with plain newlines. A text without front matter is all body. */
export function parseSkillText(text: string): SkillText {
  const plain = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const opening = /^\s*?---[ \t]*\n/.exec(plain)?.[0];
  if (opening === undefined) return { kind: 'read', frontMatter: none, body: plain.trim() };
  const rest = plain.slice(opening.length);
  const closing = /^---[ \t]*$/m.exec(rest.slice(0, maxChars));
  if (closing === null) {
    return { kind: 'broken', problem: `the front matter has no end: no line "---" within ${maxChars} characters` };
  }
  const body = rest.slice(closing.index + closing[0].length).trim();
  try {
    return { kind: 'read', frontMatter: parseFrontMatter(rest.slice(0, closing.index)), body };
  } catch (error) {
    return { kind: 'broken', problem: `the front matter cannot be used: ${messageOf(error)}` };
  }
}

const triggersSchema = z
  .union([z.string().transform((one) => [one]), z.array(z.string())])
  .optional()
  .transform((triggers) => triggers ?? []);
const fieldsSchema = z.object({ name: z.string().optional(), description: z.string().optional(), trigger: triggersSchema });

/** Throws an Error that says what is wrong with it. Everything is text (`failsafe`), so that a name may be a number; nothing is expanded. */
function parseFrontMatter(yaml: string): FrontMatter {
  const document = parseDocument(yaml, { schema: 'failsafe', prettyErrors: false, logLevel: 'silent' });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new Error(`${problem.message} (quote a value that holds ": " or "#")`);
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  const fields = fieldsSchema.safeParse(value ?? {});
  if (!fields.success) throw new Error(z.prettifyError(fields.error));
  const { name, description, trigger } = fields.data;
  return { name: name?.trim() || undefined, description: description?.trim() || undefined, triggers: trigger };
}
