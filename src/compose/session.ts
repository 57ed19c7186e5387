// The thread's session, wired: store, key, envelope and journal. Restoring never blocks a run, saving never fails one.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type GitHubApi, repositoryOf } from '../github/api.ts';
import { createArtifactSessionStore, type SessionStore } from '../github/session-store/artifact-store.ts';
import { createBranchSessionStore } from '../github/session-store/branch-store.ts';
import { loadArtifactUploader } from '../github/session-store/load-uploader.ts';
import { restoreSession } from '../github/session-store/restore-session.ts';
import { openEnvelope, sealEnvelope } from '../memory/envelope.ts';
import { journalStart, quoteOf } from '../memory/history.ts';
import { openJournal, readJournal, sessionBodyOf } from '../memory/journal.ts';
import { deriveJournalKey, deriveSessionKey } from '../memory/session-key.ts';
import type { StoredSession } from '../memory/stored-session.ts';
import { messageOf } from '../schema/error.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { RestoredSession, SessionEnvelope } from '../schema/session.ts';
import { waitAtMost } from '../schema/wait-at-most.ts';
import type { Log, World } from '../schema/world.ts';

/** Where a run's session lives while it runs and after. */
export interface SessionParts {
  readonly api: GitHubApi;
  readonly plan: RunPlan;
  /** The branch that this workflow run is on; null for a tag or a pull request. */
  readonly branch: string | null;
  readonly sessionSecret: string | null;
  readonly modelKey: string | null;
  readonly retentionDays: number;
  readonly store: 'artifact' | 'branch';
  /** Known to main and post and to no command; signs the journal. */
  readonly runSecret: string;
  /** This run's private folder, outside the workspace. */
  readonly stateDir: string;
  readonly world: Pick<World, 'clock' | 'fetch' | 'randomHex'>;
  readonly log: Log;
}

/** The session that a run works on. `quote`: what an earlier, less trusted session said last, to be shown as data. */
export interface ThreadSession {
  readonly journal: StoredSession;
  readonly resumed: boolean;
  readonly notice: string | null;
  readonly quote: string | null;
  /** The newest run of the conversation that goes on: when it was told its task, and the commit that it stood on. */
  readonly lastRun: { readonly at: string; readonly commit: string } | null;
}

/** Restores the thread's session and opens this run's journal; null when the plan keeps none. */
export async function openThreadSession(parts: SessionParts, signal: AbortSignal): Promise<ThreadSession | null> {
  const { plan, world } = parts;
  if (plan.session === 'off') return null;
  const key = deriveSessionKey({ ...parts, repositoryId: plan.repository.id });
  const expected = { key, threadKey: plan.threadKey, repositoryId: plan.repository.id, planTrust: plan.trust };
  const restored = await restoreSession(
    plan,
    { store: storeOf(parts), open: (bytes) => openEnvelope(bytes, expected), log: parts.log },
    signal,
  );
  const start = journalStart(restored, {
    newId: world.randomHex(8),
    threadKey: plan.threadKey,
    trust: plan.trust,
    provenance: provenanceOf(plan),
  });
  await mkdir(parts.stateDir, { recursive: true, mode: 0o700 });
  const journal = await openJournal(journalPath(parts.stateDir), {
    ...start,
    now: world.clock.now,
    key: deriveJournalKey(parts.runSecret),
  });
  const isQuoted = restored.kind === 'restored' && restored.quoteOnly;
  return {
    journal,
    resumed: restored.kind === 'restored' && !restored.quoteOnly,
    notice: isQuoted ? noticeOfQuote(plan.instruction) : noticeOf(restored),
    quote: isQuoted ? quoteOf(restored.envelope.records) || null : null,
    lastRun: restored.kind === 'restored' && !restored.quoteOnly ? lastRunOf(restored.envelope) : null,
  };
}

/** What became of the session file: the artifact's id when it was uploaded, a warning when it was not. */
export interface SavedThreadSession {
  readonly artifactId: number | null;
  readonly warning: string | null;
}

/** Where the session file is written before it is uploaded. */
export function sessionFileOf(stateDir: string): string {
  return path.join(stateDir, 'session', 'session.json');
}

// The official client retries for minutes when the artifact service is down; the reply does not wait for that.
const SAVE_TIMEOUT_MS = 60_000;

/** Makes the session file from the journal alone and uploads it. Works after a crash too; never rejects, and takes a minute at most. */
export async function saveThreadSession(parts: SessionParts): Promise<SavedThreadSession> {
  const saved = await waitAtMost(parts.world.clock, SAVE_TIMEOUT_MS, save(parts));
  return saved ?? { ...notSaved, warning: 'The session was not kept: GitHub took too long to store it.' };
}

const notSaved: SavedThreadSession = { artifactId: null, warning: null };

async function save(parts: SessionParts): Promise<SavedThreadSession> {
  try {
    const content = await readJournal(journalPath(parts.stateDir), deriveJournalKey(parts.runSecret));
    const body = content === null ? null : sessionBodyOf(content, parts.world.clock.now().toISOString());
    if (body === null) return notSaved;
    const key = deriveSessionKey({ ...parts, repositoryId: parts.plan.repository.id });
    if (key === null)
      return { ...notSaved, warning: 'The session was not kept: there is no `session_secret` and no model key to sign it with.' };
    const directory = path.dirname(sessionFileOf(parts.stateDir));
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const saved = await storeOf(parts).save({
      threadKey: parts.plan.threadKey,
      bytes: sealEnvelope(body, key).bytes,
      directory,
      retentionDays: parts.retentionDays,
    });
    if (saved.kind === 'lost') return { ...notSaved, warning: saved.warning };
    return { artifactId: saved.artifactId, warning: saved.warning };
  } catch (error) {
    return { ...notSaved, warning: `The session was not kept: ${messageOf(error)}` };
  }
}

function lastRunOf({ records, provenance, updatedAt }: SessionEnvelope): ThreadSession['lastRun'] {
  const told = records.findLast((record) => record.type === 'message' && record.message.role === 'user');
  return { at: told?.at ?? updatedAt, commit: provenance.headSha };
}

/** What is quoted is material, and nothing that could be approved. */
function noticeOfQuote({ command }: RunPlan['instruction']): string {
  const what = command === 'approve' ? 'a plan in it is not taken over' : 'it is quoted, not continued';
  return `The earlier conversation was less trusted than this run; ${what}.`;
}

function noticeOf(restored: RestoredSession): string | null {
  return restored.kind === 'fresh' ? restored.notice : null;
}

function journalPath(stateDir: string): string {
  return path.join(stateDir, 'journal.jsonl');
}

function storeOf({ api, plan, branch, store, world, log }: SessionParts): SessionStore {
  if (store === 'branch') return createBranchSessionStore({ api, repository: repositoryOf(plan), clock: world.clock });
  return createArtifactSessionStore({
    api,
    repository: repositoryOf(plan),
    expected: {
      repositoryId: plan.repository.id,
      workflowPath: plan.run.workflowPath,
      defaultBranch: plan.repository.defaultBranch,
      branch,
    },
    fetch: world.fetch,
    loadUploader: loadArtifactUploader,
    log,
  });
}

function provenanceOf(plan: RunPlan) {
  return {
    repositoryId: plan.repository.id,
    repository: `${plan.repository.owner}/${plan.repository.name}`,
    workflowPath: plan.run.workflowPath,
    runId: plan.run.id,
    runAttempt: plan.run.attempt,
    event: plan.event.kind,
    headSha: plan.checkoutSha,
  };
}
