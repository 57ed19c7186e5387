// Finds the session that a run continues. Whatever is wrong, the run starts fresh and says so in one line; it is never blocked (R6).
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { RestoredSession, SessionEnvelope } from '../../schema/session.ts';
import type { Log } from '../../schema/world.ts';
import { GitHubApiError } from '../api.ts';
import type { SessionCandidate, SessionStore } from './artifact-store.ts';

type Asked = Pick<RunPlan['instruction'], 'command'>;

/** Opens a session file: memory/envelope.ts, with key, thread, repository and trust already given. */
export type OpenSession = (bytes: Uint8Array) => OpenedSession;

type OpenedSession = OpenedEnvelope | { readonly kind: 'refused'; readonly reason: string };

interface OpenedEnvelope {
  readonly kind: 'opened';
  readonly envelope: SessionEnvelope;
  readonly hash: string;
  readonly quoteOnly: boolean;
}

/** What a session is restored with. */
export interface RestoreParts {
  readonly store: Pick<SessionStore, 'find' | 'download'>;
  readonly open: OpenSession;
  readonly log: Log;
}

// A session is a help, not a condition: the run does not wait longer for it than this.
const RESTORE_TIMEOUT_MS = 30_000;

/** The session with the highest valid sequence of this thread (threats.md G3), or a fresh start with the reason. Rejects only on abort. */
export async function restoreSession(
  plan: Pick<RunPlan, 'session' | 'threadKey'> & { readonly instruction: Asked },
  parts: RestoreParts,
  signal: AbortSignal,
): Promise<RestoredSession> {
  if (plan.session === 'off') return { kind: 'fresh', notice: null };
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(RESTORE_TIMEOUT_MS)]);
    const { best, refused } = await findBest(plan.threadKey, parts, limited);
    if (best === null)
      return { kind: 'fresh', notice: refused === null ? nothingThere(plan.instruction) : notUsed(refused, plan.instruction) };
    if (plan.session === 'new')
      return { kind: 'fresh', notice: null, continues: { sequence: best.envelope.sequence, hash: best.hash } };
    return { kind: 'restored', envelope: best.envelope, hash: best.hash, quoteOnly: best.quoteOnly };
  } catch (error) {
    signal.throwIfAborted();
    parts.log(`[session] look-up failed: ${messageOf(error)}`);
    return {
      kind: 'fresh',
      notice: notUsed(isForbidden(error) ? missingPermission : 'GitHub did not hand it out', plan.instruction),
    };
  }
}

async function findBest(
  threadKey: string,
  { store, open, log }: RestoreParts,
  signal: AbortSignal,
): Promise<{ readonly best: OpenedEnvelope | null; readonly refused: string | null }> {
  const found = await store.find(threadKey, signal);
  let best: OpenedEnvelope | null = null;
  let refused: string | null = null;
  for (const candidate of found.candidates) {
    const opened = await openCandidate(candidate, { store, open }, signal);
    if (opened.kind === 'refused') {
      log(`[session] file ${candidate.id} was not used: ${opened.reason}`);
      refused ??= opened.reason;
    } else if (best === null || opened.envelope.sequence > best.envelope.sequence) {
      // Of two with the same sequence (two runs at once, G6-22) the newer one stays, since it comes first.
      best = opened;
    }
  }
  // What our own workflow wrote says more than what strangers left under our name.
  return { best, refused: refused ?? found.refused };
}

/** One file that is gone or unreadable does not hide the others. */
async function openCandidate(
  candidate: SessionCandidate,
  { store, open }: Pick<RestoreParts, 'store' | 'open'>,
  signal: AbortSignal,
): Promise<OpenedSession> {
  try {
    const file = await store.download(candidate, signal);
    return file.kind === 'file' ? open(file.bytes) : file;
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'refused', reason: isForbidden(error) ? missingPermission : 'it could not be downloaded' };
  }
}

const missingPermission = 'the workflow’s job needs `actions: read` under `permissions` to read it';

function isForbidden(error: unknown): boolean {
  return error instanceof GitHubApiError && error.isMissingPermission;
}

/** Who asks to continue has to know that there is nothing to continue from; everybody else expects nothing. */
function nothingThere({ command }: Asked): string | null {
  return command === 'continue' ? 'There is no earlier conversation here to continue, so this run began a new one.' : null;
}

/** An approval does not start afresh: without the session there is nothing to approve. */
function notUsed(reason: string, { command }: Asked): string {
  return `The earlier session was not used: ${reason}.${command === 'approve' ? '' : ' This run started fresh.'}`;
}
