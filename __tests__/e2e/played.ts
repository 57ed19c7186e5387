// A script for each of several agents that ask one model: runs beside each other ask in any order.
import type { ReceivedRequest, ScriptedTurn, ScriptStep } from '../../src/simulator/model/scripted-turn.ts';

/** More than all agents of a test ask together. */
const mostRequests = 50;

/** The turns of each agent by the order that it was given, which its requests hold; '' is the parent's. */
export function played(scripts: Readonly<Record<string, readonly ScriptedTurn[]>>): readonly ScriptStep[] {
  const left = new Map(Object.entries(scripts).map(([who, turns]) => [who, [...turns]]));
  const answer = (request: ReceivedRequest): ScriptedTurn => {
    const who = orderOf(request, Object.keys(scripts));
    return left.get(who)?.shift() ?? { status: 400, error: `nothing is left for ${JSON.stringify(who)}` };
  };
  return Array.from({ length: mostRequests }, () => answer);
}

/** Whether a sub-agent asks. */
export function isSubagents({ body }: ReceivedRequest): boolean {
  return JSON.stringify(body).includes('# Your role');
}

function orderOf(request: ReceivedRequest, orders: readonly string[]): string {
  const text = JSON.stringify(request.body);
  return isSubagents(request) ? (orders.find((order) => order !== '' && text.includes(order)) ?? '') : '';
}
