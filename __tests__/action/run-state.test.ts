import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadUnfinished, type RunStateParts, saveAccepted, saveBundle, saveFinished } from '../../src/action/run-state.ts';
import type { Runner } from '../../src/action/runner.ts';
import { hashOf } from '../../src/schema/canonical-json.ts';
import { plan } from '../github/plan-and-bundle.ts';

const announcement = { version: 1, commentId: 77, startedAt: '2026-03-01T10:00:00Z', warnings: [] } as const;
const sandbox = { marker: 'm', startedAtTicks: 7 };
const run = { plan, announcement, sandbox };

/** A runner that keeps state only; everything else is unexpected. */
function createRunner(): Runner {
  const kept = new Map<string, string>();
  const unexpected = () => {
    throw new Error('unexpected call');
  };
  return {
    saveState: (name, value) => void kept.set(name, value),
    state: (name) => kept.get(name) ?? '',
    mask: unexpected,
    output: unexpected,
    warning: unexpected,
    fail: unexpected,
    summary: unexpected,
  };
}

describe('what main leaves for post', () => {
  let stateDir: string;
  let parts: RunStateParts;
  beforeEach(async () => {
    stateDir = path.join(await mkdtemp(path.join(tmpdir(), 'harness9-state-')), 'run');
    parts = { runner: createRunner(), stateDir, secret: 'token-of-the-job' };
  });
  afterEach(() => rm(path.dirname(stateDir), { recursive: true, force: true }));
  const fileOf = (value: unknown) => path.join(stateDir, `${hashOf(value)}.json`);

  test('is nothing when nothing was accepted, and nothing when main finished', async () => {
    expect(await loadUnfinished(parts)).toEqual({ kind: 'nothing' });
    await saveAccepted(run, parts);
    saveFinished(run, parts);
    expect(await loadUnfinished(parts)).toEqual({ kind: 'nothing' });
  });

  test('is the accepted run when main was killed before it was announced', async () => {
    const accepted = { plan, announcement: null, sandbox };
    await saveAccepted(accepted, parts);
    expect(await loadUnfinished(parts)).toEqual({ kind: 'unfinished', run: accepted, bundle: null });
  });

  test('is the accepted run, and its bundle once there is one', async () => {
    await saveAccepted(run, parts);
    expect(await loadUnfinished(parts)).toEqual({ kind: 'unfinished', run, bundle: null });
    await saveBundle(run, { some: 'bundle' }, parts);
    expect(await loadUnfinished(parts)).toEqual({ kind: 'unfinished', run, bundle: { some: 'bundle' } });
  });

  test('is not believed when its file was changed (D5)', async () => {
    await saveAccepted(run, parts);
    await writeFile(fileOf(run), (await readFile(fileOf(run), 'utf8')).replace('"branch":"main"', '"branch":"evil"'));
    expect(await loadUnfinished(parts)).toEqual({ kind: 'tampered' });
  });

  test('is not believed when a command says in the runner’s state that main finished (D5)', async () => {
    await saveAccepted(run, parts);
    saveFinished(run, { ...parts, secret: 'a guess' });
    expect(await loadUnfinished(parts)).toEqual({ kind: 'tampered' });
    parts.runner.saveState('run', 'finished');
    expect(await loadUnfinished(parts)).toEqual({ kind: 'tampered' });
  });

  test('is the run without a bundle when the bundle was changed or cut', async () => {
    await saveBundle(run, { some: 'bundle' }, parts);
    await saveAccepted(run, parts);
    await saveBundle(run, { some: 'bundle' }, parts);
    await writeFile(fileOf({ some: 'bundle' }), '{"some": "bun');
    expect(await loadUnfinished(parts)).toMatchObject({ kind: 'unfinished', bundle: null });
  });
});
