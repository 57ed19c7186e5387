// Takes secrets out of text on its way in (to the history) and on its way out (comments, summaries, logs). Keeps no text.
import { createSecretFinder, merge, type Span } from './secret-finder.ts';
import { minFormLength } from './secret-forms.ts';
import { findPatterns } from './vendor-patterns.ts';

export interface Redactor {
  /** What stands where something was taken out. An edit whose new text holds it is refused elsewhere. */
  readonly mark: string;
  /** Registered secrets in all their forms taken out; for text that enters the history. */
  secrets(text: string): string;
  /** The same, and everything that looks like a vendor's key; for text that leaves. */
  outward(text: string): string;
  /** `exact`: a registered secret, in some form or in part. `pattern`: the name of the first vendor's pattern that matches. */
  scan(text: string): { readonly exact: boolean; readonly pattern: string | null };
  /** More secrets, which became known later; from now on they are taken out, too. */
  register(secrets: readonly string[]): void;
}

const mark = '***';

/** Makes a redactor for these secrets; empty ones are passed over silently. */
export function createRedactor(secrets: readonly string[]): Redactor {
  let known = findable(secrets);
  let find = createSecretFinder(known);
  return {
    mark,
    secrets: (text) => cover(text, find(text)),
    outward: (text) => cover(text, merge([...find(text), ...findPatterns(text)])),
    scan: (text) => ({ exact: find(text).length > 0, pattern: findPatterns(text)[0]?.name ?? null }),
    register: (more) => {
      known = findable([...known, ...more]);
      find = createSecretFinder(known);
    },
  };
}

/** What people should know of secrets that are too short to be searched for, by their names and never by their values. */
export function warningsOfShort(secrets: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(secrets).flatMap(([name, value = '']) => {
    const { length } = value.trim();
    const isShort = length > 0 && length < minFormLength;
    return isShort
      ? [`${name} has ${length} characters; under ${minFormLength} a secret cannot be taken out of what is said`]
      : [];
  });
}

function findable(secrets: readonly string[]): readonly string[] {
  return [...new Set(secrets.map((secret) => secret.trim()).filter((secret) => secret.length >= minFormLength))];
}

function cover(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let position = 0;
  for (const { start, end } of spans) {
    parts.push(text.slice(position, start), mark);
    position = end;
  }
  parts.push(text.slice(position));
  return parts.join('');
}
