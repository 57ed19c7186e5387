// Owns the names of branches: always a ref that git accepts, whatever an issue's title or a template holds (G1-11, E9).
import { createHash } from 'node:crypto';

export interface BranchNameParts {
  readonly kind: string;
  readonly number: string;
  /** Free text, from an issue's title for instance. */
  readonly title: string;
  /** What makes the name its own; the same key always gives the same name, so that a second attempt finds the first one's branch. */
  readonly key: string;
}

/** GitHub takes 255 bytes for a ref; 120 leaves room for the suffixes that publishing may add. */
const maxNameLength = 120;
const maxSlugLength = 40;

/** `template` with `{{kind}}`, `{{number}}` and `{{slug}}` filled in, made a legal ref, and a suffix out of `key`. */
export function renderBranchName(template: string, parts: BranchNameParts): string {
  const values: Readonly<Record<string, string>> = { kind: parts.kind, number: parts.number, slug: slugOf(parts.title) };
  const filled = template.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_all, name: string) => values[name] ?? '');
  const components = filled
    .split('/')
    .map(legalComponent)
    .filter((component) => component !== '');
  const stem = components
    .join('/')
    .slice(0, maxNameLength)
    .replace(/[./-]+$/, '');
  return `${stem === '' ? 'harness9/run' : stem}-${shortHash(parts.key)}`;
}

/** The rules of `git check-ref-format`, for names that others chose (G1-12): legal names pass, options and `a..b` do not. */
export function isLegalBranchName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what git forbids.
  const forbidden = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.$|^\/|\/$/;
  const components = name.split('/');
  return (
    name !== '' &&
    name.length <= 255 &&
    !name.startsWith('-') &&
    !forbidden.test(name) &&
    components.every((component) => !component.startsWith('.') && !component.endsWith('.lock'))
  );
}

/** Eight hex digits that stand for `key` in names. */
export function shortHash(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

function slugOf(title: string): string {
  // Titles have at most 256 characters; 300 bounds the work for anything else.
  const ascii = title.slice(0, 300).normalize('NFKD').toLowerCase();
  const words = ascii.replaceAll(/'|\p{Mn}/gu, '').replaceAll(/[^a-z0-9]+/g, '-');
  return words.replace(/^-+/, '').slice(0, maxSlugLength).replace(/-+$/, '');
}

function legalComponent(component: string): string {
  const safe = component
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/-{2,}/g, '-');
  const trimmed = safe.replace(/^[.-]+/, '').replace(/[.-]+$/, '');
  return trimmed.replace(/(?:\.lock)+$/i, '');
}
