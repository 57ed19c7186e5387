// A mention on what is very large, and what the built Action took for it: calls to GitHub, bytes of the first request to the model, memory.
import { mentionOn } from './mention.ts';
import { type Scene, startScene } from './scene.ts';
import { withMaxRss } from './step-preload.ts';

export interface LargeRun {
  readonly conclusion: string | undefined;
  /** To REST and GraphQL, by gate, run and publish together. */
  readonly calls: number;
  readonly requestBytes: number;
  readonly maxRssMb: number;
}

const words = 'It was so before the release, and it is so now, which nobody here can explain to me. '.repeat(24);

/** 1,000 comments of 2 KB by 200 people on an issue. */
export async function openLongIssue({ github }: Scene): Promise<number> {
  const issue = github.openIssue({ author: 'wendy', title: 'Total is wrong', body: words.repeat(30) });
  for (let index = 0; index < 1_000; index += 1) {
    github.comment({ author: `person-${index % 200}`, issue: issue.number, body: `${index} ${words}` });
  }
  return issue.number;
}

/** 3,000 files, 1,000 comments and some review comments on a pull request. */
export async function openLargePull({ github }: Scene): Promise<number> {
  const names = Array.from({ length: 3_000 }, (_none, index) => `src/folder-${index % 50}/file-${index}.ts`);
  const files = Object.fromEntries(names.map((name) => [name, `export const name = '${name}';\n`.repeat(20)]));
  const pull = await github.openPull({ author: 'wendy', head: 'feature', title: 'Large', files, body: words.repeat(30) });
  for (let index = 0; index < 1_000; index += 1) {
    github.comment({ author: 'wendy', issue: pull.number, body: `${index} ${words}` });
  }
  const place = { author: 'wendy', pull: pull.number, path: names[0] ?? '', line: 1 };
  for (let index = 0; index < 5; index += 1) await github.reviewComment({ ...place, body: `${index} ${words}` });
  return pull.number;
}

/** One mention on what `open` opens. */
export async function runOnLarge(open: (scene: Scene) => Promise<number>): Promise<LargeRun> {
  await using scene = await startScene([{ text: 'Answered.' }]);
  const thread = await open(scene);
  scene.passMinute();
  const isOfApi = ({ kind }: Scene['github']['requests'][number]) => kind === 'rest' || kind === 'graphql';
  const { result } = await mentionOn(scene, thread, { options: { env: withMaxRss() } });
  return {
    conclusion: result.outputs.conclusion,
    calls: scene.github.requests.filter(isOfApi).length,
    requestBytes: Buffer.byteLength(scene.sent(0).all),
    maxRssMb: Number(/max_rss_kb=(\d+)/.exec(result.main.stderr)?.[1] ?? Number.NaN) / 1_024,
  };
}
