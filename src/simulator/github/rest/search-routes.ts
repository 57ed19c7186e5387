/** REST: the search of issues and pull requests, with the qualifiers that are in use. */

import type { Call } from '../http/call.ts';
import { linkHeader, pageOf } from '../http/paging.ts';
import { Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { renderIssue } from '../render/render-thread.ts';
import type { Thread } from '../state.ts';

export const searchRoutes: readonly Route[] = [route('GET /search/issues', [], searchIssues)];

type Test = (thread: Thread, value: string) => boolean;

const QUALIFIERS: Readonly<Record<string, Test>> = {
  is: (thread, value) =>
    value === thread.state || value === (thread.pull === null ? 'issue' : 'pr') || isMergedOrDraft(thread, value),
  type: (thread, value) => value === (thread.pull === null ? 'issue' : 'pr'),
  state: (thread, value) => thread.state === value,
  author: (thread, value) => thread.author.toLowerCase() === value.replace(/^app\/(.*)$/, '$1[bot]').toLowerCase(),
  label: (thread, value) => thread.labels.includes(value),
  assignee: (thread, value) => thread.assignees.includes(value),
  head: (thread, value) => thread.pull?.headRef === value,
  base: (thread, value) => thread.pull?.baseRef === value,
  in: () => true,
};

function isMergedOrDraft(thread: Thread, value: string): boolean {
  return (value === 'merged' && thread.pull?.mergedAt != null) || (value === 'draft' && thread.pull?.isDraft === true);
}

function searchIssues(hub: Hub, call: Call): Reply {
  const query = call.query.get('q');
  if (query === null || query === '')
    throw new Refusal(422, 'Validation Failed', [{ resource: 'Search', field: 'q', code: 'missing' }]);
  const words = [...query.matchAll(/(?:[\w-]+:)?"[^"]*"|\S+/g)].map(([word]) => word);
  const found = [...hub.state.threads.values()].filter((thread) => words.every((word) => fits(hub, thread, word))).reverse();
  const items = pageOf(call, found).map((thread) => ({ ...renderIssue(hub, thread), score: 1 }));
  const body = { total_count: found.length, incomplete_results: false, items, search_type: 'lexical' };
  return { status: 200, body, headers: linkHeader(hub, call, found.length) };
}

function fits(hub: Hub, thread: Thread, word: string): boolean {
  const [, name = '', quoted = ''] = /^([\w-]+):(.+)$/.exec(word) ?? [];
  const value = (name === '' ? word : quoted).replaceAll('"', '');
  const { owner, name: repository } = hub.state.repository;
  if (name === 'repo') return value.toLowerCase() === `${owner}/${repository}`.toLowerCase();
  const test = QUALIFIERS[name];
  if (test !== undefined) return test(thread, value);
  if (name !== '') throw new Refusal(422, 'Validation Failed', [{ resource: 'Search', field: 'q', code: 'invalid' }]);
  return `${thread.title}\n${thread.body ?? ''}`.toLowerCase().includes(value.toLowerCase());
}
