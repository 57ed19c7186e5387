// Every place that a run may speak in, on a stage of its own: what was asked there, and what is there of ours.
import type { Channel, RunPlan } from '../../../src/schema/gate.ts';
import { openStage, type Stage } from './stage.ts';

export interface Scene {
  readonly stage: Stage;
  readonly plan: RunPlan;
  /** Bodies of ours in this place, the oldest first. */
  ours(): readonly string[];
  /** Somebody writes there what they like. */
  forge(body: string): Promise<void>;
}

export const placeKinds: readonly Channel['kind'][] = ['thread', 'review_thread', 'discussion', 'report'];

export const us = 'github-actions[bot]';

type Options = NonNullable<Parameters<typeof openStage>[0]>;
const permissions = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  discussions: 'write',
  actions: 'read',
  metadata: 'read',
} as const;

export async function openScene(kind: Channel['kind'], options: Options = {}): Promise<Scene> {
  const stage = await openStage({ permissions, ...options });
  const { hub, plan } = stage;
  switch (kind) {
    case 'thread':
      return {
        stage,
        plan,
        ours: () => hub.snapshot().comments.flatMap(({ author, body }) => (author === us ? body : [])),
        forge: async (body) => void hub.comment({ author: 'eve', issue: plan.thread?.number ?? 0, body }),
      };
    case 'review_thread':
      return openReviewScene(stage);
    case 'discussion':
      return openDiscussionScene(stage);
    case 'report':
      return {
        stage,
        plan: {
          ...plan,
          thread: null,
          trigger: { ...plan.trigger, id: 'schedule-77-harness9', target: null },
          channel: { kind: 'report', title: 'Nightly report' },
          pullRequest: { ...plan.pullRequest, closes: null },
        },
        ours: () =>
          hub.snapshot().issues.flatMap(({ author, body, state }) => (author === us && state === 'open' ? (body ?? '') : [])),
        forge: async (body) => void hub.openIssue({ author: 'eve', title: 'Nightly report', body }),
      };
  }
}

async function openReviewScene(stage: Stage): Promise<Scene> {
  const { hub, plan } = stage;
  const pull = await hub.openPull({
    author: 'mona',
    head: 'feature',
    title: 'Rounding',
    files: { 'src/cart.ts': 'export const total = 2;\n' },
  });
  const draft = { author: 'mona', pull: pull.number, path: 'src/cart.ts', line: 1 } as const;
  const other = await hub.reviewComment({ ...draft, body: 'another thread' });
  const root = await hub.reviewComment({ ...draft, body: 'why 2?' });
  const asked = await hub.reviewComment({ ...draft, body: '@harness9 explain', inReplyTo: root.id });
  return {
    stage,
    plan: {
      ...plan,
      trigger: {
        ...plan.trigger,
        id: `pull_request_review_comment-${asked.id}`,
        target: { kind: 'review_comment', id: asked.id },
      },
      thread: { kind: 'pull_request', number: pull.number, title: 'Rounding' },
      channel: { kind: 'review_thread', pull: pull.number, commentId: root.id },
    },
    ours: () => hub.snapshot().reviewComments.flatMap(({ author, body }) => (author === us ? body : [])),
    forge: async (body) => void (await hub.reviewComment({ ...draft, author: 'eve', body, inReplyTo: other.id })),
  };
}

async function openDiscussionScene(stage: Stage): Promise<Scene> {
  const { hub, plan } = stage;
  const discussion = hub.openDiscussion({ author: 'mona', title: 'Which rounding?' });
  const asked = hub.commentDiscussion({ author: 'mona', discussion: discussion.number, body: '@harness9 which one?' });
  return {
    stage,
    plan: {
      ...plan,
      trigger: { ...plan.trigger, id: `discussion_comment-${asked.id}`, target: { kind: 'node', id: asked.nodeId } },
      thread: { kind: 'discussion', number: discussion.number, title: 'Which rounding?' },
      channel: { kind: 'discussion', number: discussion.number, id: discussion.nodeId, replyTo: asked.nodeId },
      pullRequest: { ...plan.pullRequest, closes: null },
    },
    ours: () => hub.snapshot().discussionComments.flatMap(({ author, body }) => (author === us ? body : [])),
    forge: async (body) => void hub.commentDiscussion({ author: 'eve', discussion: discussion.number, body }),
  };
}
