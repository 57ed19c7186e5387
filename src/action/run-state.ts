// What main leaves for post: plan, announcement and bundle as files in this run's private folder; their hashes, signed, in the runner's state.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { announcementSchema } from '../schema/announcement.ts';
import { canonicalJson, hashOf } from '../schema/canonical-json.ts';
import { runPlanSchema } from '../schema/gate.ts';
import { parseJson } from '../schema/parse-json.ts';
import type { Runner } from './runner.ts';

const sandboxSchema = z.object({ marker: z.string(), startedAtTicks: z.number().nullable() });
const acceptedSchema = z.object({ plan: runPlanSchema, announcement: announcementSchema.nullable(), sandbox: sandboxSchema });

/**
 * A run that the gate accepted. `announcement` null: main may have been killed while it announced. `sandbox`: by what its processes are
 * known, so that post can end what a killed main left running.
 */
export type AcceptedRun = Readonly<z.infer<typeof acceptedSchema>>;

/** A run that the thread knows of. */
export interface AnnouncedRun extends AcceptedRun {
  readonly announcement: NonNullable<AcceptedRun['announcement']>;
}

/** `phase`: the last step that main is known to have finished. `bundle` null: there is none yet. */
const entrySchema = z.object({
  phase: z.enum(['accepted', 'bundled', 'finished']),
  dir: z.string(),
  run: z.string(),
  bundle: z.string().nullable(),
});
type Entry = Readonly<z.infer<typeof entrySchema>>;

/** The name of our entry in the runner's state. */
const stateName = 'run';

export interface RunStateParts {
  readonly runner: Runner;
  /** This run's private folder. */
  readonly stateDir: string;
  /**
   * Known to main and post and to no command. At the levels without a file system of their own commands can reach both the files and
   * the runner's state file, so what is not signed is not believed (D5).
   */
  readonly secret: string;
}

/** Saves the accepted run; from here on post finishes what main cannot. Called before anything is posted, and again after. */
export async function saveAccepted(run: AcceptedRun, parts: RunStateParts): Promise<void> {
  const hash = await writeByHash(parts.stateDir, run);
  saveEntry({ phase: 'accepted', dir: parts.stateDir, run: hash, bundle: null }, parts);
}

/** Saves the bundle before anything of it is published, so that a killed main loses nothing. */
export async function saveBundle(run: AcceptedRun, bundle: unknown, parts: RunStateParts): Promise<void> {
  const hash = await writeByHash(parts.stateDir, bundle);
  saveEntry({ phase: 'bundled', dir: parts.stateDir, run: hashOf(run), bundle: hash }, parts);
}

/** main said its last word; post has nothing to do. */
export function saveFinished(run: AcceptedRun, parts: RunStateParts): void {
  saveEntry({ phase: 'finished', dir: parts.stateDir, run: hashOf(run), bundle: null }, parts);
}

/** What post finds. `tampered`: something is there that main did not write. */
export type Unfinished =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'tampered' }
  | { readonly kind: 'unfinished'; readonly run: AcceptedRun; readonly bundle: unknown };

/** Loads what main left. The bundle is unchecked: the validator is the only door. */
export async function loadUnfinished({ runner, secret }: Pick<RunStateParts, 'runner' | 'secret'>): Promise<Unfinished> {
  const text = runner.state(stateName);
  if (text === '') return { kind: 'nothing' };
  const entry = openEntry(text, secret);
  if (entry === null) return { kind: 'tampered' };
  if (entry.phase === 'finished') return { kind: 'nothing' };
  const run = acceptedSchema.safeParse(await readByHash(entry.dir, entry.run));
  if (!run.success) return { kind: 'tampered' };
  // A bundle that is not whole was not signed either; then post says that the run was cut.
  const bundle = entry.bundle === null ? null : await readByHash(entry.dir, entry.bundle);
  return { kind: 'unfinished', run: run.data, bundle };
}

function saveEntry(entry: Entry, { runner, secret }: RunStateParts): void {
  runner.saveState(stateName, JSON.stringify({ entry, mac: macOf(entry, secret).toString('hex') }));
}

const signedSchema = z.object({ entry: entrySchema, mac: z.string().regex(/^[0-9a-f]{64}$/) });

function openEntry(text: string, secret: string): Entry | null {
  const signed = signedSchema.safeParse(parseJson(text));
  if (!signed.success) return null;
  const { entry, mac } = signed.data;
  return timingSafeEqual(Buffer.from(mac, 'hex'), macOf(entry, secret)) ? entry : null;
}

function macOf(entry: Entry, secret: string): Buffer {
  return createHmac('sha256', `harness9 run state\n${secret}`).update(canonicalJson(entry)).digest();
}

/** Written whole or not at all, under the name of its content. */
async function writeByHash(dir: string, value: unknown): Promise<string> {
  const hash = hashOf(value);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const file = path.join(dir, `${hash}.json`);
  await writeFile(`${file}.part`, JSON.stringify(value), { mode: 0o600 });
  await rename(`${file}.part`, file);
  return hash;
}

/** null when it is not there, or not what it was. */
async function readByHash(dir: string, hash: string): Promise<unknown> {
  const text = await readFile(path.join(dir, `${hash}.json`), 'utf8').catch(() => '');
  const value = parseJson(text);
  return hashOf(value) === hash ? value : null;
}
