// Derives the keys that seal a session file. Knows no file and no envelope; never logs what it holds.
import { hkdfSync } from 'node:crypto';

/** `mac` signs the envelope; `encryption` is there when a `session_secret` was given (INTERFACE.md). */
export interface SessionKey {
  readonly mac: Uint8Array;
  readonly encryption: Uint8Array | null;
}

export interface SessionSecrets {
  readonly sessionSecret: string | null;
  readonly modelKey: string | null;
  readonly repositoryId: number;
}

const keyBytes = 32;

/** Keys from the session secret, else from the model's key, bound to the repository. null: no secret, so nothing may be restored. */
export function deriveSessionKey({ sessionSecret, modelKey, repositoryId }: SessionSecrets): SessionKey | null {
  if (sessionSecret !== null && sessionSecret !== '') {
    return { mac: derive(sessionSecret, 'mac', repositoryId), encryption: derive(sessionSecret, 'encryption', repositoryId) };
  }
  return modelKey === null || modelKey === '' ? null : { mac: derive(modelKey, 'mac', repositoryId), encryption: null };
}

/** The key that signs a run's journal; `secret` is known to main and post and to no command. */
export function deriveJournalKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'harness9 journal', keyBytes));
}

/** HKDF-SHA256; a use of its own per key, so that one never opens what the other sealed. */
function derive(secret: string, use: 'mac' | 'encryption', repositoryId: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `harness9 session ${use} ${repositoryId}`, keyBytes));
}
