// Hears `stop` and `status` on the thread while a run is at work, and answers each once. Who may not ask is not heard. Writes nothing else.
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { GitHubApiError, isRefusal, type RepositoryApi, repositoryOf } from '../api.ts';
import { refuseRequester, settingsFor } from '../event/decide-requester.ts';
import { loadPermission } from '../event/load-permission.ts';
import { findMention } from '../event/mention.ts';
import { carriesMarker, parseMarker, renderMarked, triggersOf } from '../marker.ts';
import { openChannel } from '../publish/channel/channel.ts';
import type { PublishPorts } from '../publish/ports.ts';
import type { HeardComment, Poll } from './poll.ts';
import { pollComments, pollRoutes } from './poll-comments.ts';
import { pollDiscussion } from './poll-discussion.ts';

export interface Watch {
  /** Aborts when somebody who may ask said `stop`. */
  readonly stopped: AbortSignal;
  /** Who that was. */
  stoppedBy(): string | null;
  /** Resolves when nothing is asked or answered any more. */
  end(): Promise<void>;
}

export interface WatchParts {
  readonly plan: RunPlan;
  readonly settings: GateSettings;
  /** Where the run is, as one line of Markdown. */
  readonly status: () => string;
  readonly ports: PublishPorts;
}

/** After a refusal by a limit, which GitHub wants to be a minute. */
const backoffMs = 120_000;
/** An answer is not cut off by the end of the run: it says that the word was heard. */
const answerTimeoutMs = 15_000;

/** Watches until `end`. Never throws: a poll that fails is a line in the log, and one that GitHub refuses is the last. */
export function watchThread(parts: WatchParts): Watch {
  const { plan, ports } = parts;
  const ending = new AbortController();
  const stopping = new AbortController();
  const place = { api: ports.api, repository: repositoryOf(plan) };
  const polls = pollsOf(plan, place);
  const answered = new Set([plan.trigger.id, ...plan.alsoAnswers]);
  let stoppedBy: string | null = null;

  async function hear(comment: HeardComment): Promise<void> {
    const command = await commandOf(comment, parts, place, ending.signal);
    answered.add(comment.triggerId);
    if (command === null) return;
    if (command === 'stop') {
      stoppedBy ??= comment.user?.login ?? null;
      stopping.abort();
    }
    await answer(comment, command === 'stop' ? stopAnswer : parts.status(), parts);
  }

  async function ask(poll: Poll): Promise<void> {
    const comments = await poll.ask(ending.signal);
    for (const id of answeredBy(comments, plan.self.id)) answered.add(id);
    for (const comment of comments) {
      if (answered.has(comment.triggerId)) continue;
      // GitHub tells of each comment once: what goes wrong with one word must not swallow the next.
      await hear(comment).catch((error: unknown) => {
        ending.signal.throwIfAborted();
        ports.log(`[control] ${comment.triggerId} is not answered: ${messageOf(error)}`);
      });
    }
  }

  /** How long to wait before the next time; null: there is none. */
  async function askOnce(poll: Poll): Promise<number | null> {
    try {
      await ask(poll);
      return poll.pauseMs();
    } catch (error) {
      if (ending.signal.aborted) return null;
      ports.log(`[control] the thread cannot be listened to: ${messageOf(error)}`);
      if (isRefusal(error)) return null;
      return error instanceof GitHubApiError && error.isRateLimit ? backoffMs : poll.pauseMs();
    }
  }

  /** One place after the other. */
  async function keepAsking(): Promise<void> {
    let waitMs: number | null = polls[0]?.pauseMs() ?? null;
    for (let turn = 0; waitMs !== null; turn += 1) {
      await ports.clock.sleep(waitMs, ending.signal);
      const poll = polls[turn % polls.length];
      waitMs = poll === undefined ? null : await askOnce(poll);
    }
  }

  // The sleep that `end` cuts short rejects; that is its end and nobody's failure.
  const asking = keepAsking().catch(() => undefined);
  return {
    stopped: stopping.signal,
    stoppedBy: () => stoppedBy,
    end: async () => {
      ending.abort();
      await asking;
    },
  };
}

/** Where people may speak to the run: wherever its thread is. */
function pollsOf({ thread, trigger, channel }: RunPlan, place: RepositoryApi): readonly Poll[] {
  if (channel?.kind === 'discussion') return [pollDiscussion(channel, { trigger }, place)];
  if (thread === null || thread.kind === 'discussion') return [];
  const { number } = thread;
  return pollRoutes[thread.kind].map((route) => pollComments(route, { number, trigger }, place));
}

/** What our replies among these comments answer. */
function answeredBy(comments: readonly HeardComment[], selfId: number): readonly string[] {
  const markers = comments.map(({ user, body }) => (Number(user?.id) === selfId ? parseMarker(body) : null));
  return markers.flatMap((marker) => (marker?.kind === 'reply' ? triggersOf(marker) : []));
}

const stopAnswer = 'Stopping. What is done so far comes with the answer to the request that is worked on.';

type Command = 'stop' | 'status';

/** The word that a comment says to the run; null for everything else, and for who may not say it. */
async function commandOf(
  { user, body, isEdited }: HeardComment,
  { plan, settings }: WatchParts,
  place: RepositoryApi,
  signal: AbortSignal,
): Promise<Command | null> {
  // An edited comment may be anybody's by now; its own run reads what it said at first.
  if (user === null || user.type !== 'User' || isEdited || carriesMarker(body)) return null;
  const mention = findMention(body, settings.triggerPhrases);
  const command = mention.kind === 'mention' ? mention.instruction.command : null;
  if (command !== 'stop' && command !== 'status') return null;
  const isOwnRun = Number(user.id) === plan.requester.id;
  return isOwnRun || (await mayAsk(user.login, settings, place, signal)) ? command : null;
}

/** As the gate lets people in; those who are let in as outsiders have a word in their own runs only. */
async function mayAsk(login: string, settings: GateSettings, place: RepositoryApi, signal: AbortSignal): Promise<boolean> {
  const fact = await loadPermission(place, login, signal);
  const rules = settingsFor({ kind: 'mention' }, { ...settings, allowedNonWriteUsers: [] });
  return refuseRequester({ login, id: 0, type: 'User' }, fact, rules) === null;
}

/** Where it was said, under the marker of a reply: the run that waits for this comment finds it answered. */
async function answer({ triggerId, channel }: HeardComment, text: string, { plan, ports }: WatchParts): Promise<void> {
  if (plan.comment === 'none') return;
  const place = { channel, repository: repositoryOf(plan), self: plan.self, threadKey: plan.threadKey };
  const body = renderMarked({ trigger: triggerId, kind: 'reply' }, text);
  await openChannel(place, ports).create(body, AbortSignal.timeout(answerTimeoutMs));
}
