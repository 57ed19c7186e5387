// Listens to a discussion, which GraphQL alone tells of and to no condition: it is read anew each time, the less often the longer it is.
import type { Channel, RunPlan } from '../../schema/gate.ts';
import type { RepositoryApi } from '../api.ts';
import { loadDiscussionComments } from '../discussion.ts';
import { askedAt, type Poll } from './poll.ts';

type Place = Extract<Channel, { kind: 'discussion' }>;

/** Each page costs a point of the 1,000 that a repository's jobs have in an hour: this is 120 of them, however long the discussion is. */
const pauseMsPerPage = 30_000;

export function pollDiscussion({ number, id }: Place, { trigger }: Pick<RunPlan, 'trigger'>, place: RepositoryApi): Poll {
  const from = askedAt(trigger);
  let pages = 1;
  return {
    pauseMs: () => pages * pauseMsPerPage,
    async ask(signal) {
      const read = await loadDiscussionComments(number, place, signal);
      pages = read.pages;
      const later = read.items.filter(({ createdAt }) => Date.parse(createdAt) >= from);
      return later.map(({ id: comment, user, isPerson, body, createdAt, updatedAt, branch }) => ({
        triggerId: `discussion_comment-${comment}`,
        user: user === null ? null : { ...user, type: isPerson ? 'User' : 'Bot' },
        body,
        isEdited: createdAt !== updatedAt,
        channel: { kind: 'discussion', number, id, replyTo: branch },
      }));
    },
  };
}
