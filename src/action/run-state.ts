// What main leaves for post: plan, announcement and bundle as files in this run's private folder, their place and hash in the runner's state.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Announcement } from '../github/publish/announcement.ts';
import { announcementSchema } from '../github/publish/announcement.ts';
import { hashOf } from '../schema/canonical-json.ts';
import { type RunPlan, runPlanSchema } from '../schema/gate.ts';
import type { Runner } from './runner.ts';

/** The last step that main is known to have finished. Nothing accepted: post has nothing to do. */
const phaseSchema = z.enum(['accepted', 'bundled', 'finished']);

const acceptedSchema = z.object({ plan: runPlanSchema, announcement: announcementSchema.nullable() });

/** A run that the gate accepted. `announcement` null: main may have been killed while it announced. */
export interface AcceptedRun {
  readonly plan: RunPlan;
  readonly announcement: Announcement | null;
}

/** A run that the thread knows of. */
export interface AnnouncedRun extends AcceptedRun {
  readonly announcement: Announcement;
}

/** Saves the accepted run; from here on post finishes what main cannot. Called before anything is posted, and again after. */
export async function saveAccepted(run: AcceptedRun, stateDir: string, runner: Runner): Promise<void> {
  // The runner keeps the state out of the agent's reach; the file is not, so its hash goes with it (D5).
  const hash = hashOf(run);
  await writeWhole(stateDir, `run-${hash}.json`, run);
  runner.saveState('dir', stateDir);
  runner.saveState('hash', hash);
  runner.saveState('phase', 'accepted');
}

/** Saves the bundle before anything of it is published, so that a killed main loses nothing. */
export async function saveBundle(bundle: unknown, stateDir: string, runner: Runner): Promise<void> {
  await writeWhole(stateDir, 'bundle.json', bundle);
  runner.saveState('phase', 'bundled');
}

/** main said its last word; post has nothing to do. */
export function saveFinished(runner: Runner): void {
  runner.saveState('phase', 'finished');
}

/** What post finds: nothing to do, or an accepted run with the bundle that main left, if it left one. */
export type Unfinished =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'tampered' }
  | { readonly kind: 'unfinished'; readonly run: AcceptedRun; readonly bundle: unknown; readonly stateDir: string };

/** Loads what main left. The bundle is unchecked: the validator is the only door. */
export async function loadUnfinished(runner: Runner): Promise<Unfinished> {
  const phase = phaseSchema.safeParse(runner.state('phase'));
  if (!phase.success || phase.data === 'finished') return { kind: 'nothing' };
  const stateDir = runner.state('dir');
  const hash = runner.state('hash');
  const parsed = acceptedSchema.safeParse(await readJson(path.join(stateDir, `run-${hash}.json`)));
  if (!parsed.success || hashOf(parsed.data) !== hash) return { kind: 'tampered' };
  const bundle = phase.data === 'bundled' ? await readJson(path.join(stateDir, 'bundle.json')) : null;
  return { kind: 'unfinished', run: parsed.data, bundle, stateDir };
}

/** Written whole or not at all: a kill in the middle leaves the earlier file. */
async function writeWhole(dir: string, name: string, value: unknown): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const file = path.join(dir, name);
  await writeFile(`${file}.part`, JSON.stringify(value), { mode: 0o600 });
  await rename(`${file}.part`, file);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    // Missing or cut: main was killed before it was whole.
    return null;
  }
}
