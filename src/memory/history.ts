// How a run starts on what came before: its place in the thread, and the short form that is quoted. Pure; never writes.
import type { Trust } from '../schema/gate.ts';
import { textOf } from '../schema/message.ts';
import type { Provenance, RestoredSession, SessionRecord } from '../schema/session.ts';
import type { JournalStart } from './journal.ts';
import { isCheckpoint, messagesOf } from './session-records.ts';

const trustOrder: readonly Trust[] = ['untrusted', 'mixed', 'trusted'];

// A quotation informs; longer ones would be a history by another name.
const maxQuoteCharacters = 4_000;

/** What is quoted of a session that may not be continued: the newest checkpoint's summary, else the last answer; '' when neither is there. */
export function quoteOf(records: readonly SessionRecord[]): string {
  const summary = records.findLast(isCheckpoint)?.summary ?? '';
  if (summary !== '') return summary.slice(0, maxQuoteCharacters);
  const answers = messagesOf(records).filter(({ role }) => role === 'assistant');
  const answer = answers.map(({ content }) => textOf(content)).findLast((text) => text !== '');
  return (answer ?? '').slice(0, maxQuoteCharacters);
}

/** The lower of two trusts. */
export function lowerTrust(a: Trust, b: Trust): Trust {
  return trustOrder.indexOf(a) <= trustOrder.indexOf(b) ? a : b;
}

/** What a run's journal starts with, given what came of looking for the earlier session. A quoted one keeps its place in the thread only. */
export function journalStart(
  restored: RestoredSession,
  run: { readonly newId: string; readonly threadKey: string; readonly trust: Trust; readonly provenance: Provenance },
): JournalStart {
  const { newId, ...own } = run;
  const fresh = { ...own, sessionId: newId, baseRecords: [] };
  if (restored.kind === 'fresh') {
    const place = restored.continues;
    return { ...fresh, sequence: place === undefined ? 0 : place.sequence + 1, parentHash: place?.hash ?? null };
  }
  const { envelope, hash, quoteOnly } = restored;
  const chain = { sequence: envelope.sequence + 1, parentHash: hash };
  if (quoteOnly) return { ...fresh, ...chain };
  const trust = lowerTrust(run.trust, envelope.trust);
  return { ...own, ...chain, sessionId: envelope.id, trust, baseRecords: envelope.records };
}
