// Owns whether a check that failed is mended at all: on which pull request, and whether it was this one that broke it. Pure.
import type { GateFacts, Skip } from '../../schema/gate.ts';
import type { GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { type SkipDecision, skip } from './skip.ts';

/** `notice`: where the one word about spent attempts goes. */
export function refuseCheck(
  event: GitHubEvent,
  { check, thread }: GateFacts,
  { maxFixAttempts }: GateSettings,
  notice: Skip['notice'],
): SkipDecision | null {
  if (!('check' in event)) return null;
  const commit = event.headSha.slice(0, 12);
  const pull = check?.pull ?? null;
  if (check === null || pull === null || thread === null) {
    return skip('no_pull_request', `${commit} is not the head of exactly one open pull request from a branch of this repository`);
  }
  if (maxFixAttempts === 0) return skip('fix_limit', 'max_fix_attempts is 0, so that nothing is mended');
  if (check.base === 'failed') {
    return skip(
      'base_failing',
      `"${event.check.name}" fails on the base branch as well, so that #${pull.number} did not break it`,
    );
  }
  const attempts = new Set(thread.answered.filter((id) => id.startsWith(`fix-${pull.number}-`))).size;
  if (attempts < maxFixAttempts) return null;
  // The notice is itself an answer and counts, so that the next failure finds one more and stays silent.
  const tries = attempts === 1 ? 'was 1 attempt' : `were ${attempts} attempts`;
  const detail = `there ${tries} to mend the checks of this pull request, max_fix_attempts is ${maxFixAttempts}. Its later failures are left to people.`;
  return skip('fix_limit', detail, 'denied', attempts === maxFixAttempts ? notice : null);
}
