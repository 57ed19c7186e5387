import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadUnfinished, saveAccepted, saveBundle, saveFinished } from '../../src/action/run-state.ts';
import type { Runner } from '../../src/action/runner.ts';
import { hashOf } from '../../src/schema/canonical-json.ts';
import { plan } from '../github/plan-and-bundle.ts';

const announcement = { version: 1, commentId: 77, startedAt: '2026-03-01T10:00:00Z', warnings: [] } as const;
const run = { plan, announcement };

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
  let dir: string;
  let runner: Runner;
  beforeEach(async () => {
    dir = path.join(await mkdtemp(path.join(tmpdir(), 'harness9-state-')), 'run');
    runner = createRunner();
  });
  afterEach(() => rm(path.dirname(dir), { recursive: true, force: true }));

  test('is nothing when nothing was announced, and nothing when main finished', async () => {
    expect(await loadUnfinished(runner)).toEqual({ kind: 'nothing' });
    await saveAccepted(run, dir, runner);
    saveFinished(runner);
    expect(await loadUnfinished(runner)).toEqual({ kind: 'nothing' });
  });

  test('is the accepted run when main was killed before it was announced', async () => {
    await saveAccepted({ plan, announcement: null }, dir, runner);
    expect(await loadUnfinished(runner)).toMatchObject({ kind: 'unfinished', run: { plan, announcement: null }, bundle: null });
  });

  test('is the accepted run, and its bundle once there is one', async () => {
    await saveAccepted(run, dir, runner);
    expect(await loadUnfinished(runner)).toEqual({ kind: 'unfinished', run, bundle: null, stateDir: dir });
    await saveBundle({ some: 'bundle' }, dir, runner);
    expect(await loadUnfinished(runner)).toEqual({ kind: 'unfinished', run, bundle: { some: 'bundle' }, stateDir: dir });
  });

  test('is not believed when its file was changed (D5)', async () => {
    await saveAccepted(run, dir, runner);
    const file = path.join(dir, `run-${hashOf(run)}.json`);
    await writeFile(file, (await readFile(file, 'utf8')).replace('"branch":"main"', '"branch":"evil"'));
    expect(await loadUnfinished(runner)).toEqual({ kind: 'tampered' });
  });

  test('is the run without a bundle when the bundle was cut', async () => {
    await saveAccepted(run, dir, runner);
    await saveBundle({ some: 'bundle' }, dir, runner);
    await writeFile(path.join(dir, 'bundle.json'), '{"some": "bun');
    expect(await loadUnfinished(runner)).toMatchObject({ kind: 'unfinished', bundle: null });
  });
});
