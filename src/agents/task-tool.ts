// The task tool: a part of the work goes to a sub-agent, which is waited for or goes on beside the turns. Decides no permission and runs no model.
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { foldName } from '../schema/fold-name.ts';
import type { RunContext } from '../schema/model-call.ts';
import { oneLine } from '../schema/one-line.ts';
import { runScopeOf } from '../schema/run-scope.ts';
import type { BackgroundWork } from './background-work.ts';
import type { AgentDefinition } from './definition.ts';
import { renderOutcome } from './render-outcome.ts';
import { createSubagentRunner, type RunnerParts } from './run-subagent.ts';

/** A run that asks for more has lost its way. */
const maxInRun = 64;
/** The list goes with every request of the parent; beyond it agents are named only. */
const maxListChars = 8_192;
const maxLineChars = 500;
const maxNameChars = 100;
const maxIdChars = 100;

const argumentsSchema = z.object({
  agent: z.string().describe('A name from the list.'),
  prompt: z.string(),
  background: z.boolean().optional().describe('Do not wait for it.'),
});

export interface TaskToolParts extends RunnerParts {
  readonly background: Pick<BackgroundWork, 'start' | 'attend'>;
}

/** What the registry hands to a tool. */
interface TaskContext {
  readonly signal: AbortSignal;
  readonly run?: RunContext;
  readonly callId?: string;
}

/**
 * task over `agents`, as a specification that tools/tool.ts (`defineTool`) makes a tool of. Its effect is `read`: what a sub-agent does is
 * judged call by call. It has no time-out of its own: a run has its limits.
 */
export function createTaskTool(agents: readonly AgentDefinition[], parts: TaskToolParts) {
  const runSubagent = createSubagentRunner(parts);
  const isWithinCount = createCount(maxInRun);
  let unnamed = 0;
  return {
    name: 'task',
    description: describeTool(agents),
    place: 'main',
    effect: 'read',
    timeoutMs: 0,
    schema: argumentsSchema,
    run: async ({ agent: asked, prompt, background = false }: z.infer<typeof argumentsSchema>, context: TaskContext) => {
      const agent = agents.find(({ name }) => name === foldName(asked));
      if (agent === undefined) return failure(describeUnknown(asked, agents));
      if (prompt.trim() === '')
        return failure('task: the prompt is empty. Say what is to be done and all that one must know for it.');
      const run = context.run ?? {};
      if (!isWithinCount(run))
        return failure(`task: this run has begun ${maxInRun} sub-agents, and more may not be. Do the rest yourself.`);
      if (context.callId === undefined) unnamed += 1;
      const callId = oneLine(context.callId ?? `task-${unnamed}`, maxIdChars);
      const request = { agent, prompt, callId, isBackground: background };
      const work = async (signal: AbortSignal) => renderOutcome(agent.name, await runSubagent(request, { signal, run }), signal);
      if (!background) return await parts.background.attend(callId, work, context.signal);
      parts.background.start(callId, work, context.signal);
      return {
        output: `started in the background as ${callId}. Its report comes as a message; go on with other work.`,
        isError: false,
      };
    },
  } as const;
}

/** Whether one more may begin in the run that `run` is of; it is counted then. Runs are told apart by what they spend in. */
function createCount(max: number): (run: RunContext) => boolean {
  const counts = new WeakMap<object, number>();
  const noRun = {};
  return (run) => {
    const key = runScopeOf(run)?.ledger ?? noRun;
    const count = counts.get(key) ?? 0;
    if (count < max) counts.set(key, count + 1);
    return count < max;
  };
}

function failure(output: string) {
  return { output, isError: true };
}

function describeTool(agents: readonly AgentDefinition[]): string {
  const named: string[] = [];
  const nameOnly: string[] = [];
  let left = maxListChars;
  for (const { name, description } of agents) {
    const line = `- ${name}: ${oneLine(description, maxLineChars)}`;
    left -= line.length;
    if (left >= 0) named.push(line);
    else nameOnly.push(name);
  }
  const more = nameOnly.length === 0 ? [] : [`Others, without room for a description: ${nameOnly.join(', ')}`];
  return [usage, 'Agents:', ...named, ...more].join('\n');
}

const usage =
  'Gives a part of the task to a sub-agent, which works on it with its own history and answers with one last message. It sees the prompt and ' +
  'nothing of this conversation: name the goal, the files, what you know already and what it must report. Several task calls in one turn run ' +
  'side by side; give those that change files different files. With background true the call returns at once, and the report comes as a ' +
  'message later; the run waits for it before it ends.';

function describeUnknown(asked: string, agents: readonly AgentDefinition[]): string {
  const wanted = foldName(asked.slice(0, maxNameChars));
  const names = agents
    .map(({ name }) => ({ name, far: distance(wanted, name) }))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
  return `task: there is no agent ${JSON.stringify(oneLine(asked, maxNameChars))}. Agents, the nearest first: ${names.join(', ')}.`;
}
