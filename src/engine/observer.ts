// An observer behind a guard: what it throws is logged and goes no further, so that watching a run cannot end it.
import { messageOf } from '../schema/error.ts';
import type { Log } from '../schema/world.ts';
import type { EngineObserver } from './ports.ts';

/** The same observer, safe to call. A start that fails hands the context down unchanged. */
export function guardObserver(observer: EngineObserver, log: Log): EngineObserver {
  const attempt = <T>(call: () => T, otherwise: T): T => {
    try {
      return call();
    } catch (error) {
      log(`warning=observer_failed error=${messageOf(error)}`);
      return otherwise;
    }
  };
  return {
    onInteractionStart: (context, sessionId, prompt) =>
      attempt(() => observer.onInteractionStart(context, sessionId, prompt), context),
    onInteractionEnd: (context, turns, error) => attempt(() => observer.onInteractionEnd(context, turns, error), undefined),
    onTurnStart: (context, turn) => attempt(() => observer.onTurnStart(context, turn), context),
    onTurnEnd: (context, turn, hasToolCalls) => attempt(() => observer.onTurnEnd(context, turn, hasToolCalls), undefined),
  };
}
