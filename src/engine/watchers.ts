// Whoever watches a run (observer, listener, log) behind a guard: what they throw, at once or later, goes no further than the log.
import { messageOf } from '../schema/error.ts';
import { isRecord } from '../schema/record.ts';
import type { Log } from '../schema/world.ts';
import type { EngineObserver, RunContext } from './ports.ts';

/** Calls a watcher. Nobody waits for one, so the answer of one that is asynchronous is none; what it rejects with is a failure all the same. */
export function callWatcher<T>(call: () => T, onFailure: (error: unknown) => void): T | undefined {
  try {
    const answer = call();
    if (!(answer instanceof Promise)) return answer;
    answer.catch(onFailure);
  } catch (error) {
    onFailure(error);
  }
  return undefined;
}

/** The same log, safe to call: when it fails there is nobody left to tell. */
export function guardLog(log: Log): Log {
  return (line) =>
    callWatcher(
      () => log(line),
      () => {},
    );
}

/** The same observer, safe to call. A start that fails, or answers with no context, hands the one before down unchanged. */
export function guardObserver(observer: EngineObserver, log: Log): EngineObserver {
  const tell = (error: unknown): void => log(`warning=observer_failed error=${messageOf(error)}`);
  const contextOf = (call: () => RunContext, before: RunContext): RunContext => {
    const after = callWatcher(call, tell);
    return isRecord(after) ? after : before;
  };
  return {
    onInteractionStart: (context, sessionId, prompt) =>
      contextOf(() => observer.onInteractionStart(context, sessionId, prompt), context),
    onInteractionEnd: (context, turns, error) => callWatcher(() => observer.onInteractionEnd(context, turns, error), tell),
    onTurnStart: (context, turn) => contextOf(() => observer.onTurnStart(context, turn), context),
    onTurnEnd: (context, turn, hasToolCalls) => callWatcher(() => observer.onTurnEnd(context, turn, hasToolCalls), tell),
  };
}
