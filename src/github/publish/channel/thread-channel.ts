// Speaking in the conversation of an issue or a pull request.

import { allOf, onceOnly, orGone, type Place, quotaLeftOf, toComment } from './place.ts';
import type { Channel } from './port.ts';

export function openThread(issue_number: number, { api, repository, egress }: Place): Channel {
  return {
    replyKind: 'reply',
    async list(since, signal) {
      const parameters = { ...repository, issue_number, ...(since === null ? {} : { since }) };
      const pages = api.pages('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', parameters, signal);
      return (await allOf(pages)).map(toComment);
    },
    async create(body, signal) {
      const parameters = { ...repository, issue_number, body: egress(body) };
      const { data } = await api.rest('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', parameters, signal);
      return toComment(data);
    },
    async change(id, body, signal, isOnce) {
      const parameters = { ...repository, comment_id: Number(id), body: egress(body), ...onceOnly(isOnce) };
      const route = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
      const answer = await orGone(api.rest(route, parameters, signal));
      return answer === null ? null : { ...toComment(answer.data), quotaLeft: quotaLeftOf(answer.headers) };
    },
    async remove(id, signal) {
      const parameters = { ...repository, comment_id: Number(id) };
      await orGone(api.rest('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', parameters, signal));
    },
  };
}
