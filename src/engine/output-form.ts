// The form that a run's last message must have, where one was asked for: what the model is told of it, whether its answer fits, and the one
// round in which it may mend it. How a text is checked is the port's matter.
import { messageOf } from '../schema/error.ts';
import { type Message, messageFromRun, textOf, textPart } from '../schema/message.ts';
import { oneLine } from '../schema/one-line.ts';
import type { RunError } from '../schema/run.ts';
import { isBlank, withoutCalls } from './answer.ts';
import { cancelled } from './ending.ts';
import { takeOutLeakedCalls } from './leaked-call.ts';
import type { OutputCheck, OutputSchema } from './ports.ts';
import type { Ending, Run } from './run-state.ts';
import { withTurn } from './turn.ts';

/** The first ones say what to mend; a whole list of a long answer's would be longer than the answer. */
const mostProblems = 5;
const mostProblemChars = 300;

/** The system prompt with what it says of the last message: in every request the same bytes. */
export function withOutputForm(system: Message, { schema }: OutputSchema): Message {
  const form =
    '# Your last message\nA program reads it: it is one JSON value that fits this JSON Schema and nothing else, no words and no fence ' +
    `around it. Before that, work as ever.\n${JSON.stringify(schema)}`;
  return { ...system, content: [textPart(`${textOf(system.content)}\n\n${form}`)] };
}

/** Whether this message is an answer in the form that was asked for; false where none was. */
export function isInForm({ outputSchema }: Run, message: Message): boolean {
  return outputSchema !== undefined && 'value' in check(outputSchema, textOf(message.content));
}

/** An ending by the model's own words, with their value or with what is wrong with them. */
export function judged({ outputSchema }: Run, ending: Ending): Ending {
  if (outputSchema === undefined || ending.error !== undefined) return ending;
  return withVerdict(ending, check(outputSchema, ending.finalMessage));
}

function withVerdict(ending: Ending, checked: OutputCheck): Ending {
  if ('value' in checked) return { ...ending, structuredOutput: checked.value };
  const error = mismatch(checked.problems);
  return { ...ending, error, cause: error };
}

/**
 * The ending of a run whose model is done, in the form that was asked for. An answer that is not in it is mended in one round: the run's very
 * last call, made in the wrap-up's place and of what is kept back for that one. `hasRoom`: whether that still fits.
 */
export async function endInForm(run: Run, ending: Ending, hasRoom: () => boolean): Promise<Ending> {
  const { outputSchema } = run;
  if (outputSchema === undefined || ending.stopReason !== 'completed' || ending.error !== undefined) return ending;
  const checked = check(outputSchema, ending.finalMessage);
  const unmended = withVerdict(ending, checked);
  if ('value' in checked) return unmended;
  const prompt = messageFromRun(mendText(checked.problems));
  run.meter.expect([prompt]);
  if (!hasRoom()) return unmended;
  await run.history.append(prompt);
  return (await mend(run, ending)) ?? unmended;
}

/** Undefined: nothing came of it, and the answer stays as it was. */
async function mend(run: Run, ending: Ending): Promise<Ending | undefined> {
  return await withTurn(run, 'wrapUp', async (input) => {
    const outcome = await input.ask('none', undefined);
    if (outcome.kind === 'failed') {
      if (run.signals.cancel.aborted) return { ending: await cancelled(run, outcome.textSoFar), calls: undefined };
      run.note(`The model could not be asked to mend its answer: ${oneLine(messageOf(outcome.error), mostProblemChars)}`);
      return { ending: undefined, calls: undefined };
    }
    const answer = withoutCalls(takeOutLeakedCalls(outcome.message, input.tools).message);
    const text = textOf(answer.content);
    if (isBlank(text)) return { ending: undefined, calls: [] };
    await run.history.append(answer);
    // What the model or a filter stopped is no better answer than the one that it was to replace.
    if (answer.finishReason === 'refusal' || answer.finishReason === 'content_filter') return { ending: undefined, calls: [] };
    run.progress.lastText = text;
    return { ending: judged(run, { ...ending, finalMessage: text }), calls: [] };
  });
}

/** A check that fails has found nothing to fit. */
function check({ check: ask }: OutputSchema, text: string): OutputCheck {
  try {
    const checked = ask(text);
    return 'value' in checked ? checked : { problems: told(checked.problems) };
  } catch (error) {
    return { problems: told([`it could not be checked: ${messageOf(error)}`]) };
  }
}

function told(problems: readonly string[]): readonly string[] {
  const first = problems.slice(0, mostProblems).map((problem) => oneLine(problem, mostProblemChars));
  return problems.length > mostProblems ? [...first, `and ${problems.length - mostProblems} more`] : first;
}

function mendText(problems: readonly string[]): string {
  const list = problems.map((problem) => `- ${problem}`).join('\n');
  return (
    `Your last message does not fit the JSON Schema that the system prompt asks for:\n${list}\n` +
    'Write it again, mended: the whole JSON value and nothing else. No tool can be called any more.'
  );
}

function mismatch(problems: readonly string[]): RunError {
  return {
    code: 'OUTPUT_SCHEMA_MISMATCH',
    message: `The final message does not fit the output schema: ${problems.join('; ')}.`,
    hint: 'Ask again, say in the task what belongs into the JSON, make the schema simpler, or use another model.',
  };
}
