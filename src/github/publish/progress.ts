// Keeps the progress comment up to date while the engine runs; never throws, and never asks GitHub more often than it should.
import type { Announcement } from '../../schema/announcement.ts';
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { EngineEvent } from '../../schema/run.ts';
import { type Egress, isRefusal } from '../api.ts';
import { renderMarked } from '../marker.ts';
import { updateComment } from './own-comments.ts';
import type { PublishPorts } from './ports.ts';
import { type ProgressState, reduceProgress, renderProgress, startProgress } from './render-progress.ts';

export interface Progress {
  onEvent(event: EngineEvent): void;
  /** Resolves when no edit is under way any more; later events are passed over. */
  stop(): Promise<void>;
}

/** GitHub limits edits (G1-31), and a reader needs no more. */
const editIntervalMs = 3_000;
/** So often the time goes on although nothing happens: a comment that stands still looks like a run that died. */
const refreshIntervalMs = 15_000;
/** An edit is never cut off by `stop`: it could arrive after the reply and overwrite it. */
const editTimeoutMs = 15_000;

/** Shows the run on the announced comment until `stop`; does nothing when there is none. */
export function createProgress(announcement: Announcement, plan: RunPlan, ports: PublishPorts): Progress {
  const stopping = new AbortController();
  let state: ProgressState = startProgress;
  let shown: ProgressState = startProgress;
  let news = Promise.withResolvers<void>();

  async function edit(id: number): Promise<void> {
    const showing = state;
    const elapsedMs = ports.clock.now().getTime() - Date.parse(announcement.startedAt);
    const body = renderMarked({ trigger: plan.trigger.id, kind: 'progress' }, renderProgress(showing, { plan, elapsedMs }));
    const updated = await updateComment(plan, { id, body }, ports, AbortSignal.timeout(editTimeoutMs));
    shown = showing;
    if (updated === null) stopping.abort();
  }

  /** Waiting first: the comment was just posted or edited, and a run that ends within the interval needs no edit. */
  async function waitForNews(): Promise<void> {
    await ports.clock.sleep(editIntervalMs, stopping.signal);
    if (state !== shown) return;
    news = Promise.withResolvers<void>();
    const waiting = new AbortController();
    const rest = ports.clock.sleep(refreshIntervalMs - editIntervalMs, AbortSignal.any([stopping.signal, waiting.signal]));
    await Promise.race([news.promise, rest]);
    // The sleep that lost ends here; its rejection is nobody's.
    waiting.abort();
    await rest.catch(() => undefined);
  }

  async function keepShowing(id: number): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await waitForNews();
        await edit(id);
      } catch (error) {
        if (stopping.signal.aborted) return;
        ports.log(`[publish] the progress comment is not kept up to date: ${messageOf(error)}`);
        if (isRefusal(error)) return;
      }
    }
  }

  const showing = announcement.commentId === null ? Promise.resolve() : keepShowing(announcement.commentId);
  return {
    onEvent: (event) => {
      state = reduceProgress(state, redactEvent(event, ports.egress));
      if (state !== shown) news.resolve();
    },
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
