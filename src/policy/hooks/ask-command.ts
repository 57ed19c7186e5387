// Asks one command hook: what it is told, and what its end and its output mean. Who is asked about what is command-hooks.ts.
import type { z } from 'zod';
import { Harness9Error } from '../../schema/error.ts';
import { oneLine } from '../../schema/one-line.ts';
import type { Log } from '../../schema/world.ts';
import type { HookDefinition } from './parse-hooks.ts';
import { type EventFields, parseAnswer, renderTold } from './protocol.ts';
import { type CommandParts, describeEnd, runCommand } from './run-command.ts';
import { bashArgv } from './shell.ts';

export interface AskParts extends CommandParts {
  /** Where processes start; the hooks are told it as their workspace. */
  readonly workDir: string;
  readonly log: Log;
}

/** `answered`: exit 0, without an answer when it wrote none. `blocked`: exit 2, with what it wrote to stderr. */
type Verdict<T> =
  | { readonly kind: 'answered'; readonly answer: T | undefined }
  | { readonly kind: 'blocked'; readonly reason: string };

/** Asks the hook. Rejects with HOOK_FAILED, or the signal's reason. */
type Ask = <Schema extends z.ZodObject>(
  fields: EventFields,
  schema: Schema,
  signal: AbortSignal,
) => Promise<Verdict<z.infer<Schema>>>;

const blockingCode = 2;
const maxStdoutBytes = 1024 * 1024;
/** Of what stderr tells the model, and people. */
const maxReasonBytes = 16_000;
const maxLastLineChars = 300;
const maxLoggedChars = 500;

/** `text` is what bash runs for the hook. */
export function createAsk(definition: HookDefinition, text: string, parts: AskParts): Ask {
  const { name, env, timeoutMs } = definition;
  const request = { argv: bashArgv(text), env, timeoutMs, maxStdoutBytes };
  return async (fields, schema, signal) => {
    const input = renderTold(definition, parts.workDir, fields);
    const { end, stdout, stderr } = await runCommand({ ...request, input }, parts, signal);
    const said = stderr.render(maxReasonBytes).trim();
    const fail = (problem: string) => hookFailure(`${problem}${lastWords(said)}`);
    if (end.kind !== 'exit' || (end.code !== 0 && end.code !== blockingCode)) throw fail(`it ${describeEnd(end, request)}`);
    if (end.code === blockingCode) {
      return { kind: 'blocked', reason: said === '' ? noReasonOf(definition) : said };
    }
    const read = parseAnswer(stdout.whole() ?? Buffer.alloc(0), schema);
    if (read.kind === 'garbage') throw fail(read.problem);
    if (said !== '') parts.log(`[hook] ${name}: ${oneLine(said, maxLoggedChars)}`);
    return { kind: 'answered', answer: read.answer };
  };
}

/** The model reads these words alone where they send it back, and behind the hook's name everywhere else. */
function noReasonOf({ event, name }: HookDefinition): string {
  const noReason = 'no reason was given (exit code 2, nothing on stderr)';
  return event === 'Stop' ? `The hook "${name}" does not let the run end: ${noReason}` : noReason;
}

/** What a hook rejects with; the engine, which tells of it, knows its name. */
function hookFailure(problem: string): Harness9Error {
  return new Harness9Error({ code: 'HOOK_FAILED', message: problem });
}

function lastWords(said: string): string {
  const line = said.split('\n').findLast((each) => each.trim() !== '');
  return line === undefined ? '' : `; the last line of stderr: ${oneLine(line, maxLastLineChars)}`;
}
