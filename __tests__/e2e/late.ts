// A step of the model that comes too late: whatever ends the run has begun when it is asked.
import type { ScriptStep } from '../../src/simulator/model/scripted-turn.ts';

/** Does `act` when the model is asked; the answer comes long after that has ended the run. */
export function late(act: () => void): ScriptStep {
  return () => {
    act();
    return { text: 'too late', delayMs: 30_000 };
  };
}
