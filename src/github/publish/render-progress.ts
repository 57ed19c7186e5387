// The progress comment's text from engine events: a reducer and a renderer, both pure; the model writes nothing here.
import type { Cost } from '../../schema/cost.ts';
import { renderCost } from '../../schema/cost-words.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { argumentsOf, type ToolCall, type ToolResult } from '../../schema/message.ts';
import { oneLine } from '../../schema/one-line.ts';
import type { EngineEvent, SubagentUpdate } from '../../schema/run.ts';
import type { TodoItem } from '../../schema/todo.ts';
import { type CallWords, describeCall } from './describe-call.ts';
import { count, renderDuration } from './figures.ts';
import { plainLine } from './plain-line.ts';

/** `isBeside`: it goes on beside the turns, and its call's result is not its end. */
interface Step {
  readonly id: string;
  readonly turn: number;
  readonly words: CallWords;
  readonly isBeside: boolean;
  readonly state: 'running' | 'done' | 'failed';
}

export interface ProgressState {
  readonly turn: number;
  readonly steps: readonly Step[];
  readonly todos: readonly TodoItem[];
  /** What the run has cost so far. */
  readonly cost: Cost | undefined;
}

export const startProgress: ProgressState = { turn: 0, steps: [], todos: [], cost: undefined };

/** More lines than this nobody reads while waiting. */
const maxLines = 12;
/** The two lines that count the rest are not among them. */
const maxTodos = 10;
const maxTodoChars = 160;
/** Steps that a turn's line names before it counts the rest. */
const maxStepsInLine = 4;

/** The state after an event; the same object when nothing that is shown changed. A compaction and a question for approval show nothing. */
export function reduceProgress(before: ProgressState, event: EngineEvent): ProgressState {
  const state = event.turn > before.turn ? { ...before, turn: event.turn } : before;
  switch (event.type) {
    case 'tool_start':
      return withStep(state, event.turn, event.data);
    case 'tool_result':
      return withEnd(state, event.turn, event.data.result);
    case 'subagent_update':
      return withEndBeside(state, event.data);
    case 'todo_update':
      return { ...state, todos: event.data };
    case 'token_update':
      return withCost(state, event.data.cost);
    default:
      return state;
  }
}

/** What reads the same is no news. */
function withCost(state: ProgressState, cost: Cost | undefined): ProgressState {
  const isNews = cost !== undefined && renderCost(cost) !== (state.cost && renderCost(state.cost));
  return isNews ? { ...state, cost } : state;
}

function withStep(state: ProgressState, turn: number, call: ToolCall): ProgressState {
  const words = describeCall(call);
  if (words === null) return state;
  const isBeside = call.name === 'task' && argumentsOf(call)?.background === true;
  return { ...state, steps: [...state.steps, { id: call.id, turn, words, isBeside, state: 'running' }] };
}

function withEnd(state: ProgressState, turn: number, { toolCallId, isError }: ToolResult): ProgressState {
  const isMeant = (step: Step) => step.id === toolCallId && step.turn === turn && (!step.isBeside || isError);
  if (!state.steps.some(isMeant)) return state;
  const end = isError ? 'failed' : 'done';
  return { ...state, steps: state.steps.map((step) => (isMeant(step) ? { ...step, state: end } : step)) };
}

function withEndBeside(state: ProgressState, update: SubagentUpdate): ProgressState {
  if (update.state !== 'ended') return state;
  const meant = state.steps.findLast(({ id, isBeside, state: now }) => id === update.callId && isBeside && now === 'running');
  if (meant === undefined) return state;
  const end = update.stopReason === 'error' || update.stopReason === 'cancelled' ? 'failed' : 'done';
  return { ...state, steps: state.steps.map((step) => (step === meant ? { ...step, state: end } : step)) };
}

interface About {
  readonly plan: Pick<RunPlan, 'run' | 'limits'>;
  readonly elapsedMs: number;
}

/** The comment, without its marker. */
export function renderProgress(state: ProgressState, about: About): string {
  const lines = state.todos.length > 0 ? renderTodos(state) : renderSteps(state.steps);
  const doing = state.turn === 0 ? 'Starting…' : 'Thinking…';
  const figures = [runningStep(state) === undefined ? doing : '', renderFigures(state, about)];
  const isNew = state.turn === 0 && about.elapsedMs === 0;
  return [
    `### harness9 is working on it… [View run](${about.plan.run.url})`,
    ...lines,
    ...(isNew ? [] : ['', figures.filter((figure) => figure !== '').join(' · ')]),
  ].join('\n');
}

/** Where the run is, in one line: the item and the step that it is at, and the figures. */
export function renderStatus(state: ProgressState, about: About): string {
  const item = state.todos.find(({ status }) => status === 'in_progress');
  const done = state.todos.filter(({ status }) => status === 'completed').length;
  const step = runningStep(state);
  const parts = [
    ...(item === undefined ? [] : [`**${todoText(item)}**`]),
    ...(state.todos.length === 0 ? [] : [`${done} of ${count(state.todos.length, 'item')} done`]),
    ...(step === undefined ? [] : [stepText(step)]),
    renderFigures(state, about),
    `[run](${about.plan.run.url})`,
  ];
  return `At work: ${parts.join(' · ')}`;
}

function renderFigures({ turn, cost }: ProgressState, { plan, elapsedMs }: About): string {
  const turns = plan.limits.maxTurns === 0 ? `turn ${turn}` : `turn ${turn} of ${plan.limits.maxTurns}`;
  const figures = [turn === 0 ? undefined : turns, renderDuration(elapsedMs), cost && renderCost(cost)];
  return figures.filter((figure) => figure !== undefined).join(' · ');
}

function runningStep({ steps }: ProgressState): Step | undefined {
  return steps.findLast((step) => step.state === 'running');
}

function stepText({ words }: Step): string {
  return `${words.verb} ${words.object}…`.replace(' …', '…');
}

function renderTodos(state: ProgressState): string[] {
  const running = runningStep(state);
  const shown = renderAround(state.todos);
  return running === undefined ? shown : [...shown, '', stepText(running)];
}

/** Of a long list the part where the work is. */
function renderAround(todos: readonly TodoItem[]): string[] {
  const current = todos.findIndex(({ status }) => status === 'in_progress');
  const next = current >= 0 ? current : todos.findIndex(({ status }) => status === 'pending');
  const focus = next >= 0 ? next : todos.length;
  const from = Math.max(0, Math.min(focus - 2, todos.length - maxTodos));
  const later = todos.length - from - maxTodos;
  return [
    ...(from > 0 ? [`- … ${count(from, 'earlier item')}`] : []),
    ...todos.slice(from, from + maxTodos).map(renderTodo),
    ...(later > 0 ? [`- … ${count(later, 'later item')}`] : []),
  ];
}

/** Marks around nothing would be read as something else. */
function todoText({ content }: TodoItem): string {
  return plainLine(oneLine(content, maxTodoChars)) || '…';
}

function renderTodo(item: TodoItem): string {
  const text = todoText(item);
  switch (item.status) {
    case 'completed':
      return `- [x] ${text}`;
    case 'in_progress':
      return `- [ ] **${text}**`;
    case 'cancelled':
      return `- ~~${text}~~`;
    case 'pending':
      return `- [ ] ${text}`;
  }
}

/** A step that failed is not ticked, so it has a line of its own. */
function renderSteps(steps: readonly Step[]): string[] {
  const turns = Map.groupBy(steps, (step) => step.turn);
  const lines = [...turns.values()].flatMap((ofTurn) => [
    ...renderLine(ofTurn, 'done', '- [x] '),
    ...renderLine(ofTurn, 'failed', '- ❌ '),
    ...renderLine(ofTurn, 'running', '- [ ] **', '**'),
  ]);
  return shorten(lines);
}

function renderLine(steps: readonly Step[], state: Step['state'], opening: string, closing = ''): string[] {
  const meant = steps.filter((step) => step.state === state);
  const said = meant.map(({ words }) => ({ verb: state === 'running' ? words.verb : words.past, object: words.object }));
  const note = state === 'failed' ? ' (failed)' : '';
  return meant.length === 0 ? [] : [`${opening}${join(said)}${note}${closing}`];
}

/** `Read a, b, ran c`: a verb is said once for its neighbours. */
function join(steps: readonly { readonly verb: string; readonly object: string }[]): string {
  const shown = steps.slice(0, maxStepsInLine);
  const text = shown.map(({ verb, object }, index) => {
    if (index > 0 && shown[index - 1]?.verb === verb && object !== '') return object;
    const said = index === 0 ? verb : verb.charAt(0).toLowerCase() + verb.slice(1);
    return `${said} ${object}`.trim();
  });
  const more = steps.length - shown.length;
  return [...text, ...(more === 0 ? [] : [`${more} more`])].join(', ');
}

function shorten(lines: readonly string[]): string[] {
  if (lines.length <= maxLines) return [...lines];
  return [`- … ${count(lines.length - maxLines + 1, 'earlier step')}`, ...lines.slice(1 - maxLines)];
}
