import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { loadTask } from '../../../src/github/context/load-task.ts';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import { loadFacts } from '../../../src/github/event/load-facts.ts';
import { parseEvent } from '../../../src/github/event/parse-event.ts';
import type { GitHubEvent } from '../../../src/schema/github-event.ts';
import type { GateSettings } from '../../../src/schema/settings.ts';
import { type Task, type TaskPicture, taskSchema } from '../../../src/schema/task.ts';
import { animation, realGif, realJpeg, realPng, realWebp } from '../../schema/real-pictures.ts';
import { run, settingsWith } from '../event/gate-fixtures.ts';
import { startLoopback } from '../loopback-server.ts';
import { never, startStage } from '../simulated.ts';

type Stage = Awaited<ReturnType<typeof startStage>>;

interface Wish {
  readonly settings?: Partial<GateSettings>;
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
}

async function taskOf(stage: Stage, event: GitHubEvent, wish: Wish = {}): Promise<Task> {
  const { settings = {}, fetch = globalThis.fetch, signal = never } = wish;
  const facts = await loadFacts(event, settingsWith(settings), { api: stage.api, now: stage.now }, never);
  const decision = decideGate(event, facts, settingsWith(settings), run);
  if (decision.kind === 'skip') throw new Error(decision.skip.detail);
  const { api, hosts } = stage;
  const task = await loadTask(decision.plan, { api, hosts, fetch, log: () => undefined }, signal);
  expect(isDeepStrictEqual(taskSchema.parse(task), task)).toBe(true);
  return task;
}

/** Megabytes in a failure's message help nobody. */
const digestOf = (data: string) => createHash('sha256').update(data).digest('hex').slice(0, 12);
/** What became of each picture: its data in short, or why there is none. */
const endsOf = (pictures: readonly TaskPicture[] | undefined) =>
  pictures?.map((picture) => ('data' in picture ? digestOf(picture.data) : picture.why));
const picturesOf = (task: Task) => task.items.map(({ kind, pictures }) => [kind, endsOf(pictures)] as const);
const dataOf = (bytes: Buffer) => digestOf(bytes.toString('base64'));
const asked = ({ hub }: Stage) => hub.requests.filter(({ kind }) => kind === 'attachment');

let shade = 0;
/** A picture that no other one is, and the Markdown that shows it. */
function attach({ hub }: Stage, content?: Buffer, name = 'a.png') {
  shade += 1;
  const bytes = content ?? realPng(4, 3, { shade });
  const { url } = hub.attach({ author: 'eve', name, content: bytes });
  return { url, text: `![shot](${url})`, data: dataOf(bytes), bytes };
}

describe('pictures of a thread', () => {
  test('come with the text that they stand in, private ones too, and no token of ours goes where they are', async () => {
    await using stage = await startStage({ private: true });
    const { hub } = stage;
    const [inBody, inComment, inHtml, own] = [attach(stage), attach(stage), attach(stage), attach(stage)];
    const issue = hub.openIssue({ author: 'eve', title: `![](${inBody.url})`, body: `Look: ${inBody.text}` });
    const tag = `<img width="400" alt="x" src="${inHtml.url}">`;
    hub.comment({ author: 'mona', issue: issue.number, body: `${inComment.text} and ${tag}` });
    const task = await taskOf(stage, stage.mention(issue.number, `@harness9 make it like ${own.text}`));
    expect(picturesOf(task)).toEqual([
      ['title', undefined],
      ['body', [inBody.data]],
      ['comment', [inComment.data, inHtml.data]],
    ]);
    expect(endsOf(task.instruction.pictures)).toEqual([own.data]);
    expect(task.instruction.pictures?.[0]).toMatchObject({ address: own.url, mediaType: 'image/png', width: 4, height: 3 });
    expect(asked(stage).map(({ actor, status }) => [actor, status])).toEqual([
      [null, 200],
      [null, 200],
      [null, 200],
      [null, 200],
    ]);
    expect(asked(stage).every(({ path }) => path.startsWith('/private-user-images/'))).toBe(true);
  });

  test('come from a discussion, its comments, and what is asked in it', async () => {
    await using stage = await startStage({ private: true });
    const { hub } = stage;
    const [inBody, inComment, inReply, own] = [attach(stage), attach(stage), attach(stage), attach(stage)];
    const { number } = hub.openDiscussion({ author: 'eve', title: 'How?', body: inBody.text });
    const top = hub.commentDiscussion({ author: 'mona', discussion: number, body: inComment.text });
    hub.commentDiscussion({ author: 'eve', discussion: number, body: inReply.text, replyTo: top.id });
    const { id } = hub.commentDiscussion({ author: 'mona', discussion: number, body: `@harness9 like ${own.text}?` });
    const task = await taskOf(stage, parseEvent('discussion_comment', hub.payload('discussion_comment', { comment: id })));
    expect(picturesOf(task)).toEqual([
      ['title', undefined],
      ['body', [inBody.data]],
      ['comment', [inComment.data]],
      ['comment', [inReply.data]],
    ]);
    expect(endsOf(task.instruction.pictures)).toEqual([own.data]);
  });

  test('come from a discussion that asks with its first post', async () => {
    await using stage = await startStage({ private: true });
    const own = attach(stage);
    const { number } = stage.hub.openDiscussion({ author: 'mona', title: 'How?', body: `@harness9 like ${own.text}?` });
    const event = parseEvent('discussion', stage.hub.payload('discussion', { discussion: number }));
    expect(endsOf((await taskOf(stage, event)).instruction.pictures)).toEqual([own.data]);
  });

  test('come from a review whose text asks', async () => {
    await using stage = await startStage({ private: true });
    const { hub } = stage;
    const own = attach(stage);
    const { number } = await hub.openPull({ author: 'mona', head: 'fix', title: 'P', files: { 'a.ts': '1\n' } });
    const { id } = hub.review({ author: 'mona', pull: number, body: `@harness9 like ${own.text}`, state: 'COMMENTED' });
    const event = parseEvent('pull_request_review', hub.payload('pull_request_review', { review: id }));
    expect(endsOf((await taskOf(stage, event)).instruction.pictures)).toEqual([own.data]);
  });

  test('come from descriptions, reviews and comments on the diff of a pull request', async () => {
    await using stage = await startStage({ private: true });
    const { hub } = stage;
    const [inBody, inReview, inNote, own] = [attach(stage), attach(stage), attach(stage), attach(stage)];
    const files = { 'src/a.ts': 'export const a = 1;\n' };
    const pull = await hub.openPull({ author: 'mona', head: 'f', title: 'P', body: inBody.text, files });
    hub.review({ author: 'mona', pull: pull.number, body: inReview.text, state: 'COMMENTED' });
    const note = { author: 'mona', pull: pull.number, path: 'src/a.ts', line: 1 };
    await hub.reviewComment({ ...note, body: inNote.text });
    const comment = await hub.reviewComment({ ...note, body: `@harness9 like ${own.text}` });
    const event = parseEvent('pull_request_review_comment', hub.payload('pull_request_review_comment', { comment: comment.id }));
    const task = await taskOf(stage, event);
    const found = picturesOf(task).filter(([, pictures]) => pictures !== undefined);
    expect(found).toEqual([
      ['body', [inBody.data]],
      ['review', [inReview.data]],
      ['review_comment', [inNote.data]],
    ]);
    expect(endsOf(task.instruction.pictures)).toEqual([own.data]);
  });

  test('an issue that is the request itself brings its own', async () => {
    await using stage = await startStage({ private: true });
    const own = attach(stage);
    const issue = stage.hub.openIssue({ author: 'mona', title: 'T', body: `@harness9 build this: ${own.text}` });
    const task = await taskOf(
      stage,
      parseEvent('issues', stage.hub.payload('issues', { issue: issue.number, action: 'opened' })),
    );
    expect(endsOf(task.instruction.pictures)).toEqual([own.data]);
  });

  test('are told by their bytes, whatever they are called', async () => {
    await using stage = await startStage();
    const big = realPng(4, 3, { weight: 3_932_160 });
    const cases: readonly (readonly [string, Buffer, string | undefined])[] = [
      ['a.svg', realPng(5, 5), undefined],
      ['a.html', realJpeg(), undefined],
      ['a.png', realGif(), undefined],
      ['a', realWebp(), undefined],
      [
        'a.png',
        Buffer.from('<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="http://www.w3.org/2000/svg"/>'),
        'it is an SVG, which is a text and no picture',
      ],
      ['a.png', Buffer.from('\ufeff<!DOCTYPE html><html>'), 'it is a web page'],
      ['a.png', Buffer.from('%PDF-1.7'), 'it is no PNG, JPEG, GIF or WebP'],
      ['a.png', Buffer.of(), 'it is no PNG, JPEG, GIF or WebP'],
      ['a.png', realPng(4, 3, { more: animation(3) }), 'it is animated, and models see pictures that stand still'],
      ['a.gif', realGif(2), 'it is animated, and models see pictures that stand still'],
      ['a.png', realPng().subarray(0, 20), 'it is broken or cut off'],
      ['a.png', realPng().subarray(0, -8), 'it is broken or cut off'],
      ['a.png', realPng(8_001, 1), 'it has 8001 × 1 pixels, and models take 8000 a side'],
      ['a.png', big, 'it has more than 3932160 bytes'],
    ];
    for (const [name, bytes, why] of cases) {
      const issue = stage.hub.openIssue({ author: 'mona', title: 'T', body: attach(stage, bytes, name).text });
      const [, body] = picturesOf(await taskOf(stage, stage.mention(issue.number)));
      expect([name, body]).toEqual([name, ['body', [why ?? dataOf(bytes)]]]);
    }
  });
});

describe('pictures that are not asked for', () => {
  test('nobody but GitHub is asked, whatever a text names, and nothing of what nobody sees', async () => {
    await using stage = await startStage();
    await using other = await startLoopback(() => ({ text: 'no' }));
    const { hub } = stage;
    const { url, text } = attach(stage);
    const id = url.slice(-36);
    const { host } = new URL(hub.serverUrl);
    const foreign = [
      `${other.url}/a.png`,
      `${other.url}/user-attachments/assets/${id}`,
      `http://${host}@${new URL(other.url).host}/user-attachments/assets/${id}`,
      `${other.url}/1/2-${id}.png?jwt=x`,
      'http://169.254.169.254/latest/meta-data/',
      'https://user-images.githubusercontent.com.evil.example/a.png',
      'file:///etc/passwd',
      '/etc/passwd',
    ];
    const hidden = `<!-- ${text} --> \`${text}\`\n\n<p hidden>${text}</p>\n\n\`\`\`\n${text}\n\`\`\``;
    const images = foreign.map((address) => `![x](${address})`).join(' ');
    const issue = hub.openIssue({ author: 'eve', title: 'T', body: `${images}\n\n${hidden}` });
    const asksFor: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      asksFor.push(String(input));
      throw new TypeError('nobody is to be asked');
    };
    const [, body] = picturesOf(await taskOf(stage, stage.mention(issue.number), { fetch }));
    expect(body).toEqual(['body', foreign.map(() => 'it is not kept by GitHub, and nobody else is asked')]);
    expect([asksFor, other.asked, asked(stage)]).toEqual([[], [], []]);
  });

  test('an address is kept without what may open the picture or is the picture', async () => {
    await using stage = await startStage();
    const { url } = attach(stage);
    const images = [`${url}?jwt=a#b`, 'https://me:secret@a.example/b.png?c=d', '/a.png?jwt=b', 'data:image/png;base64,AAAA'];
    const body = images.map((address) => `![](${address})`).join(' ');
    const issue = stage.hub.openIssue({ author: 'mona', title: 'T', body });
    const task = await taskOf(stage, stage.mention(issue.number));
    expect(task.items[1]?.pictures?.map(({ address }) => address)).toEqual([url, 'https://a.example/b.png', '/a.png', 'data:']);
  });

  test.each([
    ['another host', (other: string) => `${other}/1/2-ID.png`],
    ['another host, with ours as a name in front', (other: string) => `${other.replace('//', '//github.localhost@')}/1/2-ID.png`],
    ['another scheme', () => 'file:///1/2-ID.png'],
    ['another picture of the same host', (_other: string, own: string) => `${own}/1/2-00000000-0000-4000-8000-000000000000.png`],
    ['the API, which answers without a token', (_other: string, own: string) => `${own}/api/repos/octo-org/shop`],
  ])('an address that leads on to %s is not followed', async (_name, target) => {
    await using stage = await startStage();
    await using other = await startLoopback(() => ({ text: 'no' }));
    const { hub } = stage;
    const { url, text } = attach(stage);
    const location = target(other.url, hub.resultsUrl).replace('ID', url.slice(-36));
    hub.fail({ path: /^\/private-user-images/, status: 302, headers: { location } });
    const issue = hub.openIssue({ author: 'mona', title: 'T', body: text });
    const [, body] = picturesOf(await taskOf(stage, stage.mention(issue.number)));
    expect(body).toEqual(['body', ['its address leads to a host that is not asked for pictures']]);
    expect([other.asked.length, asked(stage).length]).toEqual([0, 1]);
  });

  test('an address that leads on to the same picture elsewhere at GitHub is followed, three times at most', async () => {
    await using stage = await startStage();
    const { hub } = stage;
    const { url, text, data, bytes } = attach(stage);
    const location = `/elsewhere/1-${url.slice(-36)}.png`;
    const issue = hub.openIssue({ author: 'mona', title: 'T', body: text });
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const isMoved = String(input).includes('elsewhere');
      return isMoved ? new Response(bytes) : await globalThis.fetch(input, init);
    };
    hub.fail({ path: /^\/private-user-images/, status: 307, headers: { location } });
    expect(picturesOf(await taskOf(stage, stage.mention(issue.number), { fetch }))[1]).toEqual(['body', [data]]);
    const round: typeof globalThis.fetch = async () => new Response(null, { status: 302, headers: { location } });
    const [, body] = picturesOf(await taskOf(stage, stage.mention(issue.number), { fetch: round }));
    expect(body).toEqual(['body', ['its address leads on and on']]);
  });

  test('B7 with context: writers nothing of the others’ is loaded', async () => {
    await using stage = await startStage();
    const { hub } = stage;
    const [theirs, ours] = [attach(stage), attach(stage)];
    const issue = hub.openIssue({ author: 'eve', title: 'T', body: theirs.text });
    hub.comment({ author: 'mona', issue: issue.number, body: ours.text });
    const task = await taskOf(stage, stage.mention(issue.number), { settings: { context: 'writers' } });
    expect(picturesOf(task)).toEqual([['comment', [ours.data]]]);
    expect([asked(stage).length, task.trust]).toEqual([1, 'trusted']);
  });

  test('an outsider’s picture makes nothing more trusted', async () => {
    await using stage = await startStage();
    const issue = stage.hub.openIssue({ author: 'eve', title: 'T', body: attach(stage).text });
    const task = await taskOf(stage, stage.mention(issue.number));
    expect([task.trust, task.items[1]?.role]).toEqual(['mixed', 'outsider']);
  });

  test('of many the request’s own and the newest come first, each one once', async () => {
    await using stage = await startStage();
    const { hub } = stage;
    const shots = Array.from({ length: 9 }, () => attach(stage));
    const own = attach(stage);
    const issue = hub.openIssue({ author: 'mona', title: 'T', body: shots[0]?.text ?? '' });
    for (const shot of shots.slice(1)) hub.comment({ author: 'eve', issue: issue.number, body: `${shot.text} ${own.text}` });
    const task = await taskOf(stage, stage.mention(issue.number, `@harness9 see ${own.text} ${own.text}`));
    const [left, same] = ['no more than 8 are loaded', 'it is the same as another one here'];
    expect(endsOf(task.instruction.pictures)).toEqual([own.data, same]);
    expect(picturesOf(task).slice(1)).toEqual([
      ['body', [left]],
      ['comment', [left, same]],
      ...shots.slice(2).map((shot) => ['comment', [shot.data, same]]),
    ]);
    expect(asked(stage)).toHaveLength(8);
  });

  test('they have 12 MiB of base64 together', async () => {
    await using stage = await startStage();
    const shots = [1, 2, 3, 4].map((shade) => attach(stage, realPng(4, 3, { weight: 3_500_000, shade })));
    const small = attach(stage);
    const body = [...shots, small].map(({ text }) => text).join('\n');
    const issue = stage.hub.openIssue({ author: 'mona', title: 'T', body });
    const [, found] = picturesOf(await taskOf(stage, stage.mention(issue.number)));
    const large = 'all pictures together are too large';
    expect(found).toEqual(['body', [shots[0]?.data, shots[1]?.data, large, large, small.data]]);
  });
});

describe('pictures that cannot be had', () => {
  test('an address that GitHub does not give, or refuses, costs that picture only', async () => {
    await using stage = await startStage();
    const { hub } = stage;
    const [good, gone, mute] = [attach(stage), attach(stage), attach(stage)];
    const unknown = `${hub.serverUrl}/user-attachments/assets/00000000-0000-4000-a000-000000000000`;
    const issue = hub.openIssue({ author: 'mona', title: 'T', body: `![](${unknown}) ${gone.text}` });
    const comment = hub.comment({ author: 'mona', issue: issue.number, body: mute.text });
    hub.comment({ author: 'mona', issue: issue.number, body: good.text });
    hub.fail({ path: new RegExp(`-${gone.url.slice(-36)}`), status: 403 });
    hub.fail({ path: new RegExp(`/issues/comments/${comment.id}$`), status: 404 });
    expect(picturesOf(await taskOf(stage, stage.mention(issue.number))).slice(1)).toEqual([
      ['body', ['GitHub gave no address for it', 'GitHub answered 403 when asked for it']],
      ['comment', ['GitHub answered 404 when asked for its address']],
      ['comment', [good.data]],
    ]);
  });

  test('a picture is looked for in each text that names it, one that does not show it or is in no thread among them', async () => {
    await using stage = await startStage({ private: true });
    const { hub } = stage;
    const [named, broken] = [attach(stage), attach(stage)];
    // An entity is no tag to GitHub, and it is one in the text that the model reads.
    const notShown = `&lt;img src="${named.url}">`;
    const issue = hub.openIssue({ author: 'mona', title: 'T', body: `${named.text} ${broken.text}` });
    const comment = hub.comment({ author: 'eve', issue: issue.number, body: broken.text });
    hub.comment({ author: 'eve', issue: issue.number, body: notShown });
    hub.fail({ path: new RegExp(`/issues/comments/${comment.id}$`), status: 404 });
    const same = ['it is the same as another one here'];
    const task = await taskOf(stage, stage.mention(issue.number));
    expect(picturesOf(task).slice(1)).toEqual([
      ['body', [...same, ...same]],
      ['comment', [broken.data]],
      ['comment', [named.data]],
    ]);
    hub.addLabel({ issue: issue.number, name: 'go', by: 'mona' });
    const event = parseEvent('issues', hub.payload('issues', { issue: issue.number, action: 'labeled', label: 'go' }));
    const labelled = await taskOf(stage, event, { settings: { prompt: `Do this: ${named.text}`, labelTrigger: 'go' } });
    expect(endsOf(labelled.instruction.pictures)).toEqual([named.data]);
  });

  test('what stood in the text that was read is shown, and nothing that was put there since', async () => {
    await using stage = await startStage();
    const { hub } = stage;
    const [before, after] = [attach(stage), attach(stage)];
    const issue = hub.openIssue({ author: 'mona', title: 'T' });
    const event = stage.mention(issue.number, `@harness9 see ${before.text}`);
    const [comment] = hub.snapshot().comments;
    hub.editComment(comment?.id ?? 0, `@harness9 see ${after.text}`);
    expect(endsOf((await taskOf(stage, event)).instruction.pictures)).toEqual(['GitHub gave no address for it']);
    expect(asked(stage)).toEqual([]);
  });

  test('a picture without an end is left, whatever its header says', async () => {
    await using stage = await startStage();
    const issue = stage.hub.openIssue({ author: 'mona', title: 'T', body: attach(stage).text });
    let pulled = 0;
    let isCancelled = false;
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled += 1;
          controller.enqueue(new Uint8Array(1_000_000));
        },
        cancel: () => {
          isCancelled = true;
        },
      });
    const fetch: typeof globalThis.fetch = async () => new Response(endless(), { headers: { 'content-length': '10' } });
    const [, body] = picturesOf(await taskOf(stage, stage.mention(issue.number), { fetch }));
    expect([body, isCancelled, pulled < 10]).toEqual([['body', ['it has more than 3932160 bytes']], true, true]);
  });

  test('a broken connection costs the picture; the run’s end ends the waiting', async () => {
    await using stage = await startStage();
    const issue = stage.hub.openIssue({ author: 'mona', title: 'T', body: attach(stage).text });
    const broken: typeof globalThis.fetch = (input) => Promise.reject(new TypeError(`request to ${input} failed`));
    expect(picturesOf(await taskOf(stage, stage.mention(issue.number), { fetch: broken }))[1]).toEqual([
      'body',
      ['it could not be loaded'],
    ]);
    const stop = new AbortController();
    const hanging: typeof globalThis.fetch = (_input, init) => {
      setImmediate(() => stop.abort(new Error('stopped')));
      return new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
    };
    const wish = { fetch: hanging, signal: stop.signal };
    await expect(taskOf(stage, stage.mention(issue.number), wish)).rejects.toThrow('stopped');
  });
});
