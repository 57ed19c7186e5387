// The vendor's own blocks come out of a stored session as they went in, byte for byte, and go back in their places.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openJournal, readJournal } from '../../../src/memory/journal.ts';
import { messagesOf } from '../../../src/memory/session-records.ts';
import { openSqliteStore } from '../../../src/memory/sqlite/sqlite-store.ts';
import { createAnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.ts';
import type { Message } from '../../../src/schema/message.ts';
import { firstRun } from '../../memory/journal-start.ts';
import { journalKey } from '../../memory/turns.ts';
import { json, startByteServer } from '../byte-server.ts';
import { contextOf, hello, requestOf, result, user } from '../calling.ts';
import { recordings } from './recordings.ts';
import { checkAnthropicOrder } from './strict-order.ts';

let folder = '';
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'saved-answers-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** What a store gives back of `messages` after it was closed. */
type Keep = (messages: readonly Message[]) => Promise<readonly Message[]>;

const now = (): Date => new Date(0);

const stores: Readonly<Record<string, Keep>> = {
  journal: async (messages) => {
    count += 1;
    const file = path.join(folder, `${count}.jsonl`);
    await (await openJournal(file, { ...firstRun, key: journalKey, now })).addMessages(messages);
    return messagesOf((await readJournal(file, journalKey))?.records ?? []);
  },
  SQLite: async (messages) => {
    count += 1;
    const open = () => openSqliteStore(path.join(folder, `${count}.db`), { now, newId: () => 's1' });
    const first = await open();
    await (await first.create('/w')).addMessages(messages);
    await first.close();
    const second = await open();
    const kept = (await (await second.open('s1'))?.getMessages(0)) ?? [];
    await second.close();
    return kept;
  },
};

const whole = recordings.filter(({ body }) => !JSON.stringify(body).includes('max_tokens'));
const cases = Object.keys(stores).flatMap((store) => whole.map((recording) => ({ store, ...recording })));

test.each(cases)('$store: $name (G3-08)', async ({ store, body }) => {
  const sentBlocks: readonly { readonly type: string; readonly id: string }[] = Object(body).content;
  await using server = await startByteServer([json(body)]);
  const provider = createAnthropicProvider('m', 4096, { apiKey: 'sk-ant-test', env: {}, baseUrl: server.url });
  const { message } = await provider.generate(hello, contextOf());
  const results = (message.toolCalls ?? []).map(({ id }) => result(id, 'x'));
  const kept = await stores[store]?.([user('Go'), message, ...results]);
  await provider.generate(requestOf([...(kept ?? []), user('And?')]), contextOf());
  const request = Object(server.requests[1]?.body);
  checkAnthropicOrder(request);
  // Citations are of documents and searches: the text is what goes back.
  const withoutCitations = sentBlocks.map((block) =>
    block.type === 'text' ? { type: 'text', text: Object(block).text } : block,
  );
  expect(JSON.stringify(request.messages[1].content)).toBe(JSON.stringify(withoutCitations));
});
