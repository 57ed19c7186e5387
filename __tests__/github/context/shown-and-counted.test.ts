// The trust of a run is decided by whose texts the gate counts: nobody else's may be shown, whatever the workflow leaves out.
import { expect, test } from '@jest/globals';
import { loadTask } from '../../../src/github/context/load-task.ts';
import { loadFacts } from '../../../src/github/event/load-facts.ts';
import { createWriterLookup } from '../../../src/github/event/load-permission.ts';
import { renderPrompt } from '../../../src/prompt/render-prompt.ts';
import { textOf } from '../../../src/schema/message.ts';
import { settingsWith } from '../event/gate-fixtures.ts';
import { planOf, portsOf, type Stage } from '../planned.ts';
import { never, startStage } from '../simulated.ts';

const outsiders = ['eve', 'mallory', 'noisy[bot]'];
/** What a text by `author` holds and no other text does. */
const sign = (author: string) => `written-by-${author}`;

/** A pull request of a writer, on which outsiders wrote whatever can be written, and an issue of one that it names. */
async function crowded({ hub }: Stage): Promise<number> {
  hub.addUser('mallory');
  hub.addUser('noisy[bot]', { type: 'Bot' });
  const linked = hub.openIssue({ author: 'mallory', title: sign('mallory'), body: sign('mallory') });
  const body = `Closes #${linked.number}`;
  const pull = await hub.openPull({ author: 'mona', head: 'feature', title: 'P', body, files: { 'a.ts': '1\n2\n3\n' } });
  const place = { pull: pull.number, path: 'a.ts', line: 1 };
  const root = await hub.reviewComment({ ...place, author: 'eve', body: sign('eve') });
  await hub.reviewComment({ ...place, author: 'mona', body: 'No.', inReplyTo: root.id });
  await hub.reviewComment({ ...place, line: 2, author: 'noisy[bot]', body: sign('noisy[bot]') });
  hub.review({ author: 'eve', pull: pull.number, body: sign('eve'), state: 'COMMENTED' });
  for (const author of ['eve', 'noisy[bot]', 'mona']) hub.comment({ author, issue: pull.number, body: sign(author) });
  return pull.number;
}

test('a trusted run is shown no outsider’s text, a mixed one none below the first post whose author the gate did not count', async () => {
  await using stage = await startStage();
  const number = await crowded(stage);
  const event = stage.mention(number);
  const { owner, repo } = stage.hub;
  const isWriter = createWriterLookup({ api: stage.api, repository: { owner, repo } });
  const trusts = new Set<string>();
  for (const context of ['all', 'writers'] as const) {
    for (const includeActors of [[], ['mona'], ['eve'], ['*[bot]', 'mona']]) {
      for (const excludeActors of [[], ['eve'], ['*[bot]'], ['EVE', '*[bot]']]) {
        const changes = { context, includeActors, excludeActors };
        const plan = await planOf(stage, event, changes, isWriter);
        const facts = await loadFacts(event, settingsWith(changes), { api: stage.api, now: stage.now, isWriter }, never);
        const task = await loadTask(plan, { ...portsOf(stage), isWriter }, never);
        const prompt = textOf(renderPrompt(task, { fence: 'f00d' }));
        const shown = outsiders.filter((author) => prompt.includes(sign(author)));
        const counted = (facts.thread?.authors ?? []).map(({ login }) => login);
        trusts.add(plan.trust);
        // An issue that is named is not counted: only a run that is mixed for another reason reads it.
        const mayBeShown = plan.trust === 'trusted' ? [] : [...counted, 'mallory'];
        expect([changes, shown.filter((author) => !mayBeShown.includes(author))]).toEqual([changes, []]);
      }
    }
  }
  expect([...trusts].sort()).toEqual(['mixed', 'trusted']);
});
