/** REST: issues, and what pull requests share with them: state, labels, assignees. */
import { demandOneOf } from '../auth.ts';
import { isShutOut } from '../guards.ts';
import { actorOf, type Call, field, optionalText, optionalTexts, optionalWord, param, requiredText } from '../http/call.ts';
import { isSince, paged } from '../http/paging.ts';
import { invalid, json, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { withHtml } from '../render/render-html.ts';
import { renderFullIssue, renderIssue, renderLabel, renderLabels } from '../render/render-thread.ts';
import type { Thread } from '../state.ts';
import {
  addAssignees,
  addLabels,
  createLabel,
  createThread,
  editThread,
  findLabel,
  removeAssignees,
  removeLabel,
} from '../threads/threads.ts';
import { findThread } from './find.ts';

const READ = ['issues:read', 'pull_requests:read'] as const;
const WRITE = ['issues:write', 'pull_requests:write'] as const;
const ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}';

export const issueRoutes: readonly Route[] = [
  route('GET /repos/{owner}/{repo}/issues', READ, listIssues),
  route('POST /repos/{owner}/{repo}/issues', ['issues:write'], createIssue),
  route(`GET ${ISSUE}`, READ, (hub, call) => json(withHtml(hub, call, renderFullIssue(hub, findThread(hub, call))))),
  route(`PATCH ${ISSUE}`, WRITE, updateIssue),
  route(`GET ${ISSUE}/labels`, READ, listLabels),
  route(`POST ${ISSUE}/labels`, WRITE, postLabels),
  route(`DELETE ${ISSUE}/labels/{name}`, WRITE, deleteLabel),
  route(`POST ${ISSUE}/assignees`, WRITE, postAssignees),
  route(`DELETE ${ISSUE}/assignees`, WRITE, deleteAssignees),
  route('POST /repos/{owner}/{repo}/labels', ['issues:write', 'pull_requests:write'], postLabel),
  route('GET /repos/{owner}/{repo}/labels/{name}', READ, getLabel),
];

/** 403 on a locked thread for who is no collaborator. */
export function demandUnlocked(hub: Hub, call: Call, thread: Thread): void {
  if (isShutOut(hub, actorOf(call), thread)) throw new Refusal(403, 'Unable to create comment because issue is locked.');
}

/** `issues: write` for an issue; for a pull request either permission will do. */
export function demandThreadWrite(hub: Hub, call: Call, thread: Thread): void {
  demandOneOf(hub.state, call.grant, thread.pull === null ? ['issues:write'] : WRITE);
}

function listIssues(hub: Hub, call: Call): Reply {
  const { query } = call;
  const state = query.get('state') ?? 'open';
  const labels = (query.get('labels') ?? '').split(',').filter((label) => label !== '');
  const creator = query.get('creator');
  const assignee = query.get('assignee');
  const found = [...hub.state.threads.values()].filter(
    (thread) =>
      (state === 'all' || thread.state === state) &&
      labels.every((label) => thread.labels.includes(label)) &&
      isSince(query, thread.updatedAt) &&
      (creator === null || thread.author === creator) &&
      (assignee === null || assignee === '*' || thread.assignees.includes(assignee)),
  );
  const byKey = (thread: Thread): string => (query.get('sort') === 'updated' ? thread.updatedAt : thread.createdAt);
  const ascending = found.sort((left, right) => byKey(left).localeCompare(byKey(right)) || left.number - right.number);
  return paged(hub, call, query.get('direction') === 'asc' ? ascending : ascending.reverse(), (thread) =>
    renderIssue(hub, thread),
  );
}

function createIssue(hub: Hub, call: Call): Reply {
  const thread = createThread(hub, {
    author: actorOf(call),
    title: requiredText(call.body, 'title'),
    body: optionalText(call.body, 'body') ?? null,
    labels: labelNames(call.body),
    assignees: optionalTexts(call.body, 'assignees') ?? [],
  });
  return json(renderFullIssue(hub, thread), 201);
}

function updateIssue(hub: Hub, call: Call): Reply {
  const thread = findThread(hub, call);
  demandThreadWrite(hub, call, thread);
  const actor = actorOf(call);
  editThread(hub, thread, actor, {
    title: optionalText(call.body, 'title') ?? undefined,
    body: optionalText(call.body, 'body'),
    state: optionalWord(call.body, 'state', ['open', 'closed']),
    stateReason: optionalWord<'completed' | 'not_planned' | 'reopened'>(call.body, 'state_reason', [
      'completed',
      'not_planned',
      'reopened',
    ]),
  });
  if (field(call.body, 'labels') !== undefined) {
    const wanted = labelNames(call.body);
    for (const name of thread.labels.filter((label) => !wanted.includes(label))) removeLabel(hub, thread, actor, name);
    addLabels(hub, thread, actor, wanted);
  }
  const assignees = optionalTexts(call.body, 'assignees');
  if (assignees !== undefined) {
    removeAssignees(
      hub,
      thread,
      actor,
      thread.assignees.filter((login) => !assignees.includes(login)),
    );
    addAssignees(hub, thread, actor, assignees);
  }
  return json(renderFullIssue(hub, thread));
}

// Labels come as texts, as objects with a name, or (for one route) as the body itself.
function labelNames(body: unknown): readonly string[] {
  const list = Array.isArray(body) ? body : field(body, 'labels');
  if (!Array.isArray(list)) return [];
  return list.map((item: unknown) => (typeof item === 'string' ? item : requiredText(item, 'name')));
}

function listLabels(hub: Hub, call: Call): Reply {
  return paged(hub, call, renderLabels(hub, findThread(hub, call)), (label) => label);
}

function postLabels(hub: Hub, call: Call): Reply {
  const thread = findThread(hub, call);
  demandThreadWrite(hub, call, thread);
  addLabels(hub, thread, actorOf(call), labelNames(call.body));
  return json(renderLabels(hub, thread));
}

function deleteLabel(hub: Hub, call: Call): Reply {
  const thread = findThread(hub, call);
  demandThreadWrite(hub, call, thread);
  if (!removeLabel(hub, thread, actorOf(call), param(call, 'name'))) throw notFound();
  return json(renderLabels(hub, thread));
}

function postAssignees(hub: Hub, call: Call): Reply {
  const thread = findThread(hub, call);
  demandThreadWrite(hub, call, thread);
  addAssignees(hub, thread, actorOf(call), optionalTexts(call.body, 'assignees') ?? []);
  return json(renderIssue(hub, thread), 201);
}

function deleteAssignees(hub: Hub, call: Call): Reply {
  const thread = findThread(hub, call);
  demandThreadWrite(hub, call, thread);
  removeAssignees(hub, thread, actorOf(call), optionalTexts(call.body, 'assignees') ?? []);
  return json(renderIssue(hub, thread));
}

function postLabel(hub: Hub, call: Call): Reply {
  const name = requiredText(call.body, 'name');
  if (findLabel(hub, name) !== undefined) throw invalid({ resource: 'Label', code: 'already_exists', field: 'name' });
  const color = optionalText(call.body, 'color')?.replace(/^#/, '');
  const label = createLabel(hub, { name, color, description: optionalText(call.body, 'description') });
  return json(renderLabel(hub, label), 201);
}

function getLabel(hub: Hub, call: Call): Reply {
  const label = findLabel(hub, param(call, 'name'));
  if (label === undefined) throw notFound();
  return json(renderLabel(hub, label));
}
