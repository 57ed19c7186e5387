// Marks around a text that somebody else wrote, so that it can neither end itself nor speak for anybody. Pure.
import { hashOf } from '../../schema/canonical-json.ts';

/** A mark for what `material` holds: no text can hold the hash of itself. */
export function fenceOf(material: unknown): string {
  return hashOf(material).slice(0, 12);
}

/** The text between two lines that carry the mark. */
export function fenced(label: string, text: string, fence: string): string {
  return `<${label}-${fence}>\n${text}\n</${label}-${fence}>`;
}
