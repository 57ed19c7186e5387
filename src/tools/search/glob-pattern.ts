// The patterns that choose what a search looks at: those of files, turned around by `!` in front. Pure.
import { type ParsedFileGlob, parseFileGlob } from '../../schema/file-glob.ts';

export type ParsedGlob =
  | { readonly kind: 'glob'; readonly matches: (file: string) => boolean }
  | Extract<ParsedFileGlob, { readonly kind: 'broken' }>;

/** `text` about paths relative to the folder that is searched; with a slash at its end, all that is in such a folder. */
export function parseGlob(text: string): ParsedGlob {
  const isNegated = text.startsWith('!');
  const body = isNegated ? text.slice(1) : text;
  const parsed = parseFileGlob(body.endsWith('/') ? `${body}**` : body);
  if (parsed.kind === 'broken') return parsed;
  return { kind: 'glob', matches: (file) => parsed.matches(file) !== isNegated };
}
