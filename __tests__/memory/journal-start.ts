// What the tests' journals and session files begin with.
import type { JournalStart } from '../../src/memory/journal.ts';
import { deriveSessionKey, type SessionKey } from '../../src/memory/session-key.ts';
import type { Provenance } from '../../src/schema/session.ts';

export const provenance: Provenance = {
  repositoryId: 42,
  repository: 'o/r',
  workflowPath: '.github/workflows/a.yml',
  runId: 1,
  runAttempt: 1,
  event: 'issue_comment',
  headSha: 'a'.repeat(40),
};

export const firstRun: JournalStart = {
  sessionId: 's1',
  threadKey: 'issue-1',
  sequence: 0,
  parentHash: null,
  trust: 'trusted',
  provenance,
  baseRecords: [],
};

/** A key of each kind: that of the model, and a `session_secret`, which encrypts the file. */
export function sessionKeys(): { readonly signing: SessionKey; readonly encrypting: SessionKey } {
  const signing = deriveSessionKey({ sessionSecret: null, modelKey: 'sk-model', repositoryId: 42 });
  const encrypting = deriveSessionKey({ sessionSecret: 'long secret', modelKey: 'sk-model', repositoryId: 42 });
  if (signing === null || encrypting === null) throw new Error('no key');
  return { signing, encrypting };
}
