// Speaking below the comment on a pull request's diff that began the review thread.
import type { Channel as ChannelRef } from '../../../schema/gate.ts';
import { allOf, onceOnly, orGone, type Place, quotaLeftOf, toComment } from './place.ts';
import type { Channel } from './port.ts';

type ReviewThread = Extract<ChannelRef, { kind: 'review_thread' }>;

export function openReviewThread({ pull, commentId }: ReviewThread, { api, repository, egress }: Place): Channel {
  return {
    replyKind: 'reply',
    async list(since, signal) {
      const parameters = { ...repository, pull_number: pull, ...(since === null ? {} : { since }) };
      const pages = api.pages('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', parameters, signal);
      const all = await allOf(pages);
      return all.filter(({ id, in_reply_to_id }) => Number(in_reply_to_id ?? id) === commentId).map(toComment);
    },
    async create(body, signal) {
      const parameters = { ...repository, pull_number: pull, comment_id: commentId, body: egress(body) };
      const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
      const { data } = await api.rest(route, parameters, signal);
      return toComment(data);
    },
    async change(id, body, signal, isOnce) {
      const parameters = { ...repository, comment_id: Number(id), body: egress(body), ...onceOnly(isOnce) };
      const answer = await orGone(api.rest('PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}', parameters, signal));
      return answer === null ? null : { ...toComment(answer.data), quotaLeft: quotaLeftOf(answer.headers) };
    },
    async remove(id, signal) {
      const parameters = { ...repository, comment_id: Number(id) };
      await orGone(api.rest('DELETE /repos/{owner}/{repo}/pulls/comments/{comment_id}', parameters, signal));
    },
  };
}
