// Cases of kinds from files, the same ones for one seed. What a kind makes depends on its own seed only, not on the other kinds.
import { createHash } from 'node:crypto';
import type { EditCall, Kind } from './edit-case.ts';
import { createRandom } from './random.ts';
import type { SourceFile } from './source-file.ts';

export interface EditCase extends EditCall {
  readonly id: string;
  readonly kind: string;
  readonly group: string;
}

export interface GenerateOptions {
  readonly perKind: number;
  /** By kind. */
  readonly seedOf: (kind: Kind, index: number) => number;
}

/** How often a kind may pass before it is given up, for each case. */
const TRIES_PER_CASE = 400;

/** `perKind` different cases of each kind; fewer where the files give no more. */
export function generateCases(
  files: readonly SourceFile[],
  kinds: readonly Kind[],
  options: GenerateOptions,
): readonly EditCase[] {
  return kinds.flatMap((kind, index) => casesOf(kind, files, { ...options, seed: options.seedOf(kind, index) }));
}

function casesOf(
  kind: Kind,
  files: readonly SourceFile[],
  { perKind, seed }: { readonly perKind: number; readonly seed: number },
): readonly EditCase[] {
  const random = createRandom(seed);
  const pool = files.filter((file) => kind.langs?.includes(file.lang) ?? true);
  // Every language is drawn alike, however many files it has.
  const byLanguage = [...Map.groupBy(pool, (file) => file.lang).values()];
  const cases = new Map<string, EditCase>();
  for (let attempt = 0; attempt < perKind * TRIES_PER_CASE && cases.size < perKind; attempt += 1) {
    const file = random.pick(random.pick(byLanguage));
    const call = kind.make({ random, file, files });
    if (call === null || changesNothing(call)) continue;
    const key = createHash('sha1').update(`${call.src}\0${call.old}\0${call.new}`).digest('hex');
    if (cases.has(key)) continue;
    const accept = [...new Set(call.accept)];
    cases.set(key, { ...call, accept, id: `${kind.name}-${cases.size}`, kind: kind.name, group: kind.group });
  }
  return [...cases.values()];
}

function changesNothing(call: EditCall): boolean {
  return call.expect !== 'refuse' && (call.accept[0] === call.content || call.old === call.new);
}

/** What names a set of cases for good. */
export function digestOf(cases: readonly EditCase[]): string {
  const hash = createHash('sha256');
  for (const { id, src, content, old, new: made, replaceAll = false, expect, accept, region } of cases) {
    hash.update(JSON.stringify([id, src, content, old, made, replaceAll, expect, accept, region]));
  }
  return hash.digest('hex');
}
