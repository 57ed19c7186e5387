// A person at the terminal who is asked whether a call may run: one question after another, whoever asks. Decides nothing for them.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { canonicalJson } from '../schema/canonical-json.ts';
import { argumentsOf, type ToolCall } from '../schema/message.ts';
import type { CallContext } from '../schema/model-call.ts';
import { oneLine } from '../schema/one-line.ts';
import type { Approval, ApprovalRequest } from '../schema/plan-mode.ts';
import { createQueue } from '../schema/queue.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import { type Outward, renderText } from './harmless.ts';
import { type Drawing, renderQuestion } from './question.ts';
import type { Screen } from './screen.ts';
import { readTypedLine } from './typed-line.ts';

/** Where a person sits. `columns`: of the screen, where they are known. */
export interface Seat {
  readonly keyboard: Readable;
  readonly columns: () => number | undefined;
}

export interface ApproverParts {
  readonly seat: Seat;
  readonly screen: Screen;
  readonly outward: Outward;
  /** Takes secrets out of what goes to the model. */
  readonly secrets: (text: string) => string;
  readonly workDir: string;
}

type Answer = { readonly kind: 'yes' | 'always' | 'no' | 'show' | 'gone' } | { readonly kind: 'instead'; readonly words: string };

/**
 * Asks on the screen and waits for a line; rejects on abort with the signal's reason. `a` holds for this very call until the run ends. Who is
 * gone (Ctrl-D) is not asked again.
 */
export function createApprover(parts: ApproverParts): (request: ApprovalRequest, context: CallContext) => Promise<Approval> {
  const always = new Set<string>();
  let isGone = false;
  const inTurn = createQueue();
  const decide = async (request: ApprovalRequest, signal: AbortSignal): Promise<Approval> => {
    signal.throwIfAborted();
    const key = keyOf(request.call);
    if (always.has(key)) return { isAllowed: true };
    const answer: Answer = isGone ? { kind: 'gone' } : await ask(request, parts, signal);
    if (answer.kind === 'always') always.add(key);
    if (answer.kind === 'gone') isGone = true;
    return approvalOf(answer, parts.secrets);
  };
  return async (request, { signal }) => {
    const approval = inTurn(() => decide(request, signal));
    return await untilAborted(approval, signal);
  };
}

/** What makes two calls the same one: all arguments, whatever their order; of a command not how long it may take. */
function keyOf(call: ToolCall): string {
  const given = argumentsOf(call);
  if (given === undefined) return canonicalJson([call.name, call.arguments]);
  const { timeout_secs: _, ...command } = given;
  return canonicalJson([call.name, call.name === 'bash' ? command : given]);
}

const nobodyLeft =
  'whoever could answer has left. Go on without what needs an answer, and say in your own answer what is left to be done.';

function approvalOf(answer: Answer, secrets: ApproverParts['secrets']): Approval {
  switch (answer.kind) {
    case 'yes':
    case 'always':
      return { isAllowed: true };
    case 'instead':
      return { isAllowed: false, feedback: secrets(answer.words) };
    case 'gone':
      return { isAllowed: false, feedback: nobodyLeft };
    default:
      return { isAllowed: false };
  }
}

async function ask(request: ApprovalRequest, parts: ApproverParts, signal: AbortSignal): Promise<Answer> {
  const { seat, screen, outward } = parts;
  const note = await noteOn(request.call, parts.workDir);
  return await screen.during(async (write) => {
    const say = (text: string): void => write(renderText(text, outward));
    let answer: Answer = { kind: 'no' };
    let isWhole = false;
    do {
      const drawing: Drawing = { columns: seat.columns(), redact: outward.redact, note, isWhole };
      const { text, isCut } = renderQuestion(request, drawing);
      const line = await readTypedLine(seat.keyboard, () => say(`\n${text}${choices(isCut)}`), signal).catch((error) => {
        write('\n');
        throw error;
      });
      answer = parseAnswer(line, isCut);
      isWhole = answer.kind === 'show';
    } while (isWhole);
    say(confirmations[answer.kind]);
    return answer;
  });
}

/** Whether a file is made or replaced is nothing that the arguments tell. */
async function noteOn(call: ToolCall, workDir: string): Promise<string | undefined> {
  const target = argumentsOf(call)?.path;
  if (call.name !== 'write_file' || typeof target !== 'string') return undefined;
  const found = await stat(path.resolve(workDir, target)).catch(() => undefined);
  return found === undefined ? 'a new file' : `it replaces a file of ${found.size} bytes`;
}

function choices(isCut: boolean): string {
  const show = isCut ? ' [s]how all of it,' : '';
  return `  [y]es, [n]o, [a]lways in this run for exactly this,${show}\n  or words that tell the agent what to do instead\n  > `;
}

/** Whatever is no plain yes is none. */
function parseAnswer(line: string | null, isCut: boolean): Answer {
  if (line === null) return { kind: 'gone' };
  const words = oneLine(line, Number.POSITIVE_INFINITY);
  switch (words.toLowerCase()) {
    case 'y':
    case 'yes':
      return { kind: 'yes' };
    case 'a':
    case 'always':
      return { kind: 'always' };
    case '':
    case 'n':
    case 'no':
      return { kind: 'no' };
    case 's':
    case 'show':
      return isCut ? { kind: 'show' } : { kind: 'instead', words };
    default:
      return { kind: 'instead', words };
  }
}

const confirmations: Readonly<Record<Answer['kind'], string>> = {
  yes: '  → allowed\n',
  always: '  → allowed, and not asked again for exactly this in this run\n',
  no: '  → denied\n',
  instead: '  → denied; the agent gets your words\n',
  gone: '\n  → denied; nobody is asked again in this run\n',
  show: '',
};
