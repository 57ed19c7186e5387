// The terminal's one function: arguments to exit code. Usage faults end in 2, before anything is started.
import { adviceOf, Harness9Error } from '../schema/error.ts';
import type { World } from '../schema/world.ts';
import { type CliRequest, parseArguments } from './arguments.ts';
import { type Installation, print } from './print.ts';

/** What is read when no prompt is on the command line; null on a terminal. */
export type ReadPipedInput = () => Promise<string | null>;

/** Runs the command line and returns the exit code. */
export async function runCli(
  args: readonly string[],
  readPipedInput: ReadPipedInput,
  world: World,
  parts: { readonly installation: Installation; readonly signal: AbortSignal },
): Promise<number> {
  try {
    const request = await completeRequest(parseArguments(args, parts.installation.version), readPipedInput);
    if (request.kind === 'text') {
      world.stdout(request.text);
      return 0;
    }
    return await print(request.options, world, parts.installation, parts.signal);
  } catch (error) {
    if (!(error instanceof Harness9Error)) throw error;
    world.stderr(`harness9: ${adviceOf(error)}\n`);
    return error.code === 'CLI_USAGE' ? 2 : 1;
  }
}

type CompleteRequest =
  | Extract<CliRequest, { kind: 'text' }>
  | { readonly kind: 'print'; readonly options: Extract<CliRequest, { kind: 'print' }>['options'] & { readonly prompt: string } };

async function completeRequest(request: CliRequest, readPipedInput: ReadPipedInput): Promise<CompleteRequest> {
  if (request.kind === 'text') return request;
  const prompt = (request.options.prompt ?? (await readPipedInput()) ?? '').trim();
  if (prompt !== '') return { kind: 'print', options: { ...request.options, prompt } };
  throw new Harness9Error({
    code: 'CLI_USAGE',
    message: 'there is no prompt: expected it in quotes on the command line, or piped in',
    hint: 'See harness9 --help.',
  });
}
