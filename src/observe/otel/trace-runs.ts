// The engine's observer as spans: a run is one, each of its turns is one within.
import { agentAttributes } from './attributes.ts';
import type { Content } from './content.ts';
import { errorTypeOf } from './error-type.ts';
import type { EngineObserver } from './ports.ts';
import { openSpanOf, type Spans } from './spans.ts';

/** An observer of the runs of the agent with this name. A run that is begun within a traced call nests under that call. */
export function createRunObserver(spans: Spans, agentName: string, content: Content): EngineObserver {
  return {
    onInteractionStart(run, sessionId, prompt) {
      const conversationId = sessionId ?? openSpanOf(run)?.conversationId;
      const attributes = agentAttributes(agentName, conversationId);
      const agent = spans.begin({ role: 'agent', name: `invoke_agent ${agentName}`, run, attributes, conversationId });
      spans.describe(agent, () => content.ofPrompt(prompt));
      return agent.within(run);
    },
    onInteractionEnd(run, turns, error) {
      const agent = openSpanOf(run);
      if (agent?.role !== 'agent') return;
      const errorType = error === undefined ? undefined : errorTypeOf(error);
      spans.end(agent, { attributes: () => ({ 'harness9.turns': turns }), errorType });
    },
    onTurnStart(run, turn) {
      return spans.begin({ role: 'turn', name: 'turn', run, attributes: { 'harness9.turn': turn } }).within(run);
    },
    onTurnEnd(run) {
      const turn = openSpanOf(run);
      if (turn?.role !== 'turn') return;
      const refused = turn.askedCalls - turn.toolCalls;
      const attributes = {
        'harness9.tool_calls': turn.toolCalls,
        // Denied, cut off, or never begun: nothing of them ran, so they have no span.
        ...(refused > 0 ? { 'harness9.tool_calls_not_run': refused } : {}),
      };
      spans.end(turn, { attributes: () => attributes });
    },
  };
}
