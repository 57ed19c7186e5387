// A conversation that is locked while a run works on it: what was asked ends alike wherever it was asked.
import { afterEach, describe, expect, test } from '@jest/globals';
import { announce } from '../../../src/github/publish/announce.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import { bundleOf } from '../plan-and-bundle.ts';
import { openScene, type placeKinds, type Scene } from './places.ts';
import { never } from './stage.ts';

const open: Scene[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ stage }) => stage.close()));
});

/** A run that takes longer than a minute, so that its reply is wanted as a comment of its own. */
async function runLocked(kind: (typeof placeKinds)[number], when: 'before the first word' | 'at work') {
  const scene = await openScene(kind);
  open.push(scene);
  const { stage, plan } = scene;
  const lock = () => stage.hub.lockThread(plan.thread?.number ?? 0);
  if (when === 'before the first word') lock();
  const announcement = await announce(plan, stage.ports, never);
  stage.clock.advance(100_000);
  if (when === 'at work') lock();
  const bundle = bundleOf(plan, { changes: [] });
  return { ...scene, outcome: await publish(plan, bundle, announcement, { ports: stage.ports, signal: never }) };
}

const words = {
  thread: 'Unable to create comment because issue is locked.',
  review_thread: 'Unprocessable Entity: lock prevents review',
  discussion: 'Unable to create comment because discussion is locked.',
} as const;

describe.each(['thread', 'review_thread', 'discussion'] as const)('a %s that was locked', (kind) => {
  test('while the run was at work: the progress comment, which is ours to change, becomes the reply', async () => {
    const { outcome, ours } = await runLocked(kind, 'at work');
    expect(outcome).toMatchObject({ conclusion: 'no_changes', warnings: [] });
    expect(ours()).toEqual([expect.stringContaining('kind=reply -->\nFixed the rounding')]);
  });

  test('before the run could say anything: the summary has the answer, the job fails, and no permission is blamed', async () => {
    const { outcome, ours, plan } = await runLocked(kind, 'before the first word');
    expect(outcome).toMatchObject({
      conclusion: 'error',
      comment: null,
      error: {
        message: `The reply could not be posted on #${plan.thread?.number} (${words[kind]}); it is in the job summary.`,
      },
      unposted: expect.stringContaining('Fixed the rounding'),
    });
    expect(ours()).toEqual([]);
  });
});
