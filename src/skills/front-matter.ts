// Takes a Markdown file apart: the YAML between the first two lines of three dashes, and the text after them. Pure; the file is hostile.
import { parseDocument } from 'yaml';
import { messageOf } from '../schema/error.ts';
import { isRecord } from '../schema/record.ts';

/** `fields`: texts, and lists and records of them; none where there is no front matter. `problem` says why it cannot be used. */
export type FrontMatterText =
  | { readonly kind: 'read'; readonly fields: Readonly<Record<string, unknown>>; readonly body: string }
  | { readonly kind: 'broken'; readonly problem: string };

/** Names, a description and lists of tools or triggers are not longer, and a parser is not fed with more. */
const maxChars = 8_192;

/** Fields and body, without a byte order mark and with plain newlines. A text without front matter is all body. */
export function parseFrontMatter(text: string): FrontMatterText {
  const plain = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const opening = /^\s*?---[ \t]*\n/.exec(plain)?.[0];
  if (opening === undefined) return { kind: 'read', fields: {}, body: plain.trim() };
  const rest = plain.slice(opening.length);
  const closing = /^---[ \t]*$/m.exec(rest.slice(0, maxChars));
  if (closing === null) {
    return { kind: 'broken', problem: `the front matter has no end: no line "---" within ${maxChars} characters` };
  }
  const body = rest.slice(closing.index + closing[0].length).trim();
  try {
    return { kind: 'read', fields: parseFields(rest.slice(0, closing.index)), body };
  } catch (error) {
    return { kind: 'broken', problem: `the front matter cannot be used: ${messageOf(error)}` };
  }
}

/** Throws an Error that says what is wrong with it. Everything is text (`failsafe`), so that a name may be a number; nothing is expanded. */
function parseFields(yaml: string): Readonly<Record<string, unknown>> {
  const document = parseDocument(yaml, { schema: 'failsafe', prettyErrors: false, logLevel: 'silent' });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new Error(`${problem.message} (quote a value that holds ": " or "#")`);
  const value: unknown = document.toJS({ maxAliasCount: 0 }) ?? {};
  if (!isRecord(value)) throw new Error('expected object: lines of "field: value"');
  return value;
}
