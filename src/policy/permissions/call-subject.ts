// A call as rules judge it: what its one judged argument is, taken apart. Reads the call; judges nothing.
import { foldName } from '../../schema/fold-name.ts';
import { argumentsOf, type ToolCall } from '../../schema/message.ts';
import { type PathParts, type PathSubject, readRedirectPath, readToolPath } from './path-subject.ts';
import { judgedArguments } from './rule.ts';
import { type FileStep, type Step, stepsIn } from './shell/step.ts';

export type CallSubject =
  | { readonly kind: 'command'; readonly steps: readonly Step[]; readonly files: ReadonlyMap<FileStep, PathSubject> }
  | { readonly kind: 'path'; readonly path: PathSubject; readonly text: string }
  | { readonly kind: 'name'; readonly name: string; readonly text: string }
  /** The argument is not there, or no text. */
  | { readonly kind: 'missing'; readonly argument: string }
  /** The tool has no argument that rules are about. */
  | { readonly kind: 'whole' };

/** What patterns are asked about for this call. */
export async function readSubject(call: ToolCall, parts: PathParts): Promise<CallSubject> {
  const judged = Object.hasOwn(judgedArguments, call.name) ? judgedArguments[call.name] : undefined;
  if (judged === undefined) return { kind: 'whole' };
  const value = argumentsOf(call)?.[judged.argument] ?? byDefault(call);
  if (typeof value !== 'string') return { kind: 'missing', argument: judged.argument };
  switch (judged.kind) {
    case 'command':
      return await readCommand(value, parts);
    case 'path':
      return { kind: 'path', path: await readToolPath(value, parts), text: value };
    case 'name':
      return { kind: 'name', name: foldName(value), text: value };
  }
}

/** Searches begin in the workspace itself where they are not told to begin elsewhere. */
function byDefault({ name }: ToolCall): string | undefined {
  return name === 'glob' || name === 'grep' ? '.' : undefined;
}

async function readCommand(command: string, parts: PathParts): Promise<CallSubject> {
  // The parser of bash is large, and a run without rules for commands starts without it.
  const { readCommandLine } = await import('./shell/read-command-line.ts');
  const { steps, changesFolder } = readCommandLine(command);
  const files = new Map<FileStep, PathSubject>();
  for (const step of stepsIn(steps)) {
    if (step.kind === 'file') files.set(step, await readRedirectPath(step.path, { ...parts, changesFolder }));
  }
  return { kind: 'command', steps, files };
}
