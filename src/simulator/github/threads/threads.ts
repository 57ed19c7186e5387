/** Changes of issues and of what pull requests share with them. The REST handlers and the test's own hand use the same functions. */

import { invalid } from '../http/reply.ts';
import type { Hub } from '../hub.ts';
import { type Label, nextThreadNumber, type PullFacts, type Thread, type ThreadEvent } from '../state.ts';

// GitHub refuses longer bodies of issues, pull requests and comments.
export const MAX_BODY_CHARACTERS = 65_536;
const MAX_TITLE_CHARACTERS = 256;
const DEFAULT_LABEL_COLOR = 'ededed';

export interface NewThread {
  readonly author: string;
  readonly title: string;
  readonly body: string | null;
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
}

export interface ThreadChange {
  readonly title?: string | undefined;
  readonly body?: string | null | undefined;
  readonly state?: Thread['state'] | undefined;
  readonly stateReason?: Thread['stateReason'] | undefined;
}

/** Opens an issue, or with `pull` a pull request. */
export function createThread(hub: Hub, draft: NewThread, pull: PullFacts | null = null): Thread {
  checkTexts(draft, pull === null ? 'Issue' : 'PullRequest');
  const time = hub.now();
  const thread: Thread = {
    number: nextThreadNumber(hub.state),
    id: hub.state.nextId(),
    author: draft.author,
    createdAt: time,
    events: [],
    reactions: [],
    pull,
    title: draft.title,
    body: draft.body,
    state: 'open',
    stateReason: null,
    lastEditedAt: null,
    labels: [],
    assignees: [],
    isLocked: false,
    updatedAt: time,
    closedAt: null,
    closedBy: null,
  };
  hub.state.threads.set(thread.number, thread);
  addLabels(hub, thread, draft.author, draft.labels ?? []);
  addAssignees(hub, thread, draft.author, draft.assignees ?? []);
  return thread;
}

/** Changes title, body or state, and notes what the timeline shows. */
export function editThread(hub: Hub, thread: Thread, actor: string, change: ThreadChange): void {
  checkTexts(change, thread.pull === null ? 'Issue' : 'PullRequest');
  if (change.title !== undefined && change.title !== thread.title) {
    note(hub, thread, { actor, event: 'renamed', rename: { from: thread.title, to: change.title } });
    thread.title = change.title;
  }
  if (change.body !== undefined && change.body !== thread.body) {
    thread.body = change.body;
    thread.lastEditedAt = hub.now();
  }
  if (change.state !== undefined && change.state !== thread.state) setState(hub, thread, actor, change.state);
  if (change.stateReason !== undefined) thread.stateReason = change.stateReason;
  thread.updatedAt = hub.now();
}

function setState(hub: Hub, thread: Thread, actor: string, state: Thread['state']): void {
  const isClosed = state === 'closed';
  note(hub, thread, { actor, event: isClosed ? 'closed' : 'reopened' });
  thread.state = state;
  if (thread.pull === null) thread.stateReason = isClosed ? 'completed' : 'reopened';
  thread.closedAt = isClosed ? hub.now() : null;
  thread.closedBy = isClosed ? actor : null;
}

/** Puts labels on a thread and makes those that the repository doesn't have yet. */
export function addLabels(hub: Hub, thread: Thread, actor: string, names: readonly string[]): void {
  for (const name of names) {
    const label = findLabel(hub, name) ?? createLabel(hub, { name });
    if (thread.labels.includes(label.name)) continue;
    thread.labels.push(label.name);
    note(hub, thread, { actor, event: 'labeled', label: label.name });
  }
}

/** Takes a label off; false when the thread doesn't have it. */
export function removeLabel(hub: Hub, thread: Thread, actor: string, name: string): boolean {
  const present = thread.labels.find((label) => label.toLowerCase() === name.toLowerCase());
  if (present === undefined) return false;
  thread.labels = thread.labels.filter((label) => label !== present);
  note(hub, thread, { actor, event: 'unlabeled', label: present });
  return true;
}

/** The label of a name; names ignore case. */
export function findLabel(hub: Hub, name: string): Label | undefined {
  return hub.state.labels.get(name.toLowerCase());
}

/** Makes a label of the repository. */
export function createLabel(
  hub: Hub,
  draft: { name: string; color?: string | undefined; description?: string | null | undefined },
): Label {
  const { name, color = DEFAULT_LABEL_COLOR, description = null } = draft;
  const label = { id: hub.state.nextId(), name, color, description };
  hub.state.labels.set(name.toLowerCase(), label);
  return label;
}

/** Assigns accounts that exist; GitHub passes over the others without a word. */
export function addAssignees(hub: Hub, thread: Thread, actor: string, logins: readonly string[]): void {
  for (const login of logins) {
    const account = hub.state.accounts.get(login.toLowerCase());
    if (account === undefined || thread.assignees.includes(account.login)) continue;
    thread.assignees.push(account.login);
    note(hub, thread, { actor, event: 'assigned', assignee: account.login });
  }
}

export function removeAssignees(hub: Hub, thread: Thread, actor: string, logins: readonly string[]): void {
  for (const login of logins.filter((candidate) => thread.assignees.includes(candidate))) {
    thread.assignees = thread.assignees.filter((assignee) => assignee !== login);
    note(hub, thread, { actor, event: 'unassigned', assignee: login });
  }
}

/** Adds an event to the timeline. */
export function note(hub: Hub, thread: Thread, event: Omit<ThreadEvent, 'id' | 'createdAt'>): void {
  thread.updatedAt = hub.now();
  thread.events.push({ id: hub.state.nextId(), createdAt: thread.updatedAt, ...event });
}

function checkTexts(texts: { title?: string | undefined; body?: string | null | undefined }, resource: string): void {
  if (texts.title === '') throw invalid({ resource, code: 'missing_field', field: 'title' });
  if ((texts.title ?? '').length > MAX_TITLE_CHARACTERS) {
    throw invalid({
      resource,
      code: 'custom',
      field: 'title',
      message: `title is too long (maximum is ${MAX_TITLE_CHARACTERS} characters)`,
    });
  }
  if ((texts.body ?? '').length > MAX_BODY_CHARACTERS) {
    throw invalid({
      resource,
      code: 'custom',
      field: 'body',
      message: `body is too long (maximum is ${MAX_BODY_CHARACTERS} characters)`,
    });
  }
}
