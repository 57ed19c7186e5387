// Keeps the progress comment up to date while the engine runs; never throws, and never asks GitHub more often than it should.

import type { Announcement } from '../../schema/announcement.ts';
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { EngineEvent } from '../../schema/run.ts';
import { isRefusal } from '../api.ts';
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
/** An edit is never cut off by `stop`: it could arrive after the reply and overwrite it. */
const editTimeoutMs = 15_000;

/** Shows the run on the announced comment; does nothing when there is none. */
export function createProgress(announcement: Announcement, plan: RunPlan, ports: PublishPorts): Progress {
  const stopping = new AbortController();
  let state: ProgressState = startProgress;
  let shown: ProgressState = startProgress;
  let pump: Promise<void> | undefined;
  let isStopped = announcement.commentId === null;

  async function editUntilShown(id: number): Promise<void> {
    while (shown !== state && !isStopped) {
      // Waiting first: the comment was just posted or edited, and a run that ends within the interval needs no edit.
      await ports.clock.sleep(editIntervalMs, stopping.signal);
      shown = state;
      const elapsedMs = ports.clock.now().getTime() - Date.parse(announcement.startedAt);
      const marker = { trigger: plan.trigger.id, kind: 'progress' } as const;
      const updated = await updateComment(
        plan,
        { id, body: renderMarked(marker, renderProgress(state, { plan, elapsedMs })) },
        ports,
        AbortSignal.timeout(editTimeoutMs),
      );
      if (updated === null) isStopped = true;
    }
  }

  async function keepShowing(id: number): Promise<void> {
    try {
      await editUntilShown(id);
    } catch (error) {
      if (stopping.signal.aborted) return;
      ports.log(`[publish] the progress comment is not kept up to date: ${messageOf(error)}`);
      isStopped ||= isRefusal(error);
    } finally {
      pump = undefined;
    }
  }

  return {
    onEvent: (event) => {
      state = reduceProgress(state, event);
      if (announcement.commentId !== null && !isStopped && state !== shown) pump ??= keepShowing(announcement.commentId);
    },
    stop: async () => {
      isStopped = true;
      stopping.abort();
      await pump;
    },
  };
}
