// Keeps the progress comment up to date while the engine runs; never throws, and never asks GitHub more often than it should.
import type { Announcement } from '../../schema/announcement.ts';
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { EngineEvent } from '../../schema/run.ts';
import { type Egress, GitHubApiError, isRefusal } from '../api.ts';
import { renderMarked } from '../marker.ts';
import { channelOf } from './channel/channel.ts';
import { progressMarkerOf } from './channel/own-marker.ts';
import type { Channel, CommentId } from './channel/port.ts';
import { backoffAfterEdit, backoffAfterRefusal, paceOf } from './pace.ts';
import type { PublishPorts } from './ports.ts';
import { type ProgressState, reduceProgress, renderProgress, renderStatus, startProgress } from './render-progress.ts';

export interface Progress {
  onEvent(event: EngineEvent): void;
  /** Where the run is, in one line of Markdown. */
  status(): string;
  /** Resolves when no edit is under way any more; later events are passed over. */
  stop(): Promise<void>;
}

/** An edit is never cut off by `stop`: it could arrive after the reply and overwrite it. */
const editTimeoutMs = 15_000;

/** Shows the run on the announced comment until `stop`; does nothing when there is none. */
export function createProgress(announcement: Announcement, plan: RunPlan, ports: PublishPorts): Progress {
  const stopping = new AbortController();
  const channel = channelOf(plan, ports);
  let state: ProgressState = startProgress;
  let shown: ProgressState = startProgress;
  let backoffMs = 0;
  let news = Promise.withResolvers<void>();
  const elapsed = () => ports.clock.now().getTime() - Date.parse(announcement.startedAt);

  async function edit(place: Channel, id: CommentId): Promise<void> {
    const showing = state;
    const body = renderMarked(progressMarkerOf(plan), renderProgress(showing, { plan, elapsedMs: elapsed() }));
    const updated = await place.change(id, body, AbortSignal.timeout(editTimeoutMs), true);
    shown = showing;
    if (updated === null) stopping.abort();
    else backoffMs = backoffAfterEdit(updated.quotaLeft);
  }

  /** Waiting first: the comment was just posted or edited, and a run that ends within the interval needs no edit. */
  async function waitForNews(): Promise<void> {
    const { editMs, refreshMs } = paceOf(elapsed(), backoffMs);
    await ports.clock.sleep(editMs, stopping.signal);
    if (state !== shown) return;
    news = Promise.withResolvers<void>();
    const waiting = new AbortController();
    const rest = ports.clock.sleep(refreshMs - editMs, AbortSignal.any([stopping.signal, waiting.signal]));
    await Promise.race([news.promise, rest]);
    // The sleep that lost ends here; its rejection is nobody's.
    waiting.abort();
    await rest.catch(() => undefined);
  }

  function meetFailure(error: unknown): void {
    ports.log(`[publish] the progress comment is not kept up to date: ${messageOf(error)}`);
    if (isRefusal(error)) stopping.abort();
    if (error instanceof GitHubApiError && error.isRateLimit) backoffMs = backoffAfterRefusal(backoffMs);
  }

  async function keepShowing(place: Channel, id: CommentId): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await waitForNews();
        await edit(place, id);
      } catch (error) {
        if (!stopping.signal.aborted) meetFailure(error);
      }
    }
  }

  const { commentId } = announcement;
  const showing = channel === null || commentId === null ? Promise.resolve() : keepShowing(channel, commentId);
  return {
    onEvent: (event) => {
      state = reduceProgress(state, redactEvent(event, ports.egress));
      if (state !== shown) news.resolve();
    },
    status: () => renderStatus(state, { plan, elapsedMs: elapsed() }),
    stop: async () => {
      stopping.abort();
      await showing;
    },
  };
}

/** Before a line is cut: half a key is none to the egress, and one to whoever reads it. */
function redactEvent(event: EngineEvent, egress: Egress): EngineEvent {
  switch (event.type) {
    case 'tool_start':
      return { ...event, data: { ...event.data, arguments: egress(event.data.arguments) } };
    case 'todo_update':
      return { ...event, data: event.data.map((item) => ({ ...item, content: egress(item.content) })) };
    default:
      return event;
  }
}
