// The simulated GitHub behind the real port, with a clock that steps, so that no two things happen in the same second.
import { createAttachmentHosts } from '../../src/github/context/attachment-hosts.ts';
import { parseEvent } from '../../src/github/event/parse-event.ts';
import { createOctokitApi } from '../../src/github/octokit-api.ts';
import type { GitHubOptions } from '../../src/simulator/github/contract.ts';
import { startGitHub } from '../../src/simulator/github/simulated-github.ts';
import { countingClock } from './loopback-server.ts';

export const never = new AbortController().signal;

export async function startStage(options: Partial<GitHubOptions> = {}) {
  let seconds = 0;
  const now = () => new Date(Date.parse('2026-01-02T03:00:00Z') + ++seconds * 1_000);
  const hub = await startGitHub({ files: { 'README.md': 'hello\n' }, now, ...options });
  hub.addUser('mona', { permission: 'write' });
  hub.addUser('eve');
  const api = createOctokitApi({
    token: hub.issueToken('github-actions[bot]'),
    apiUrl: hub.apiUrl,
    egress: (text) => text,
    fetch: globalThis.fetch,
    clock: countingClock(),
    random: () => 0,
    log: () => undefined,
  });
  const mention = (issue: number, body = '@harness9 fix it', author = 'mona') => {
    const comment = hub.comment({ author, issue, body });
    return parseEvent('issue_comment', hub.payload('issue_comment', { comment: comment.id }));
  };
  return { hub, api, hosts: createAttachmentHosts(hub), now, mention, [Symbol.asyncDispose]: () => hub.close() };
}
