// Whether a run in the mode `fix` has shown that what failed passes now; without that nothing of it is pushed. Pure.
import type { CommandRecord } from '../compose/tools.ts';
import { verifyFailed } from '../github/publish/decide-conclusion.ts';
import { oneLine } from '../schema/one-line.ts';
import { isFinished, type RunResult } from '../schema/run.ts';

export interface Evidence {
  /** The commands of the failed steps, as the log has them. */
  readonly failed: readonly string[];
  /** What was run after the last edit, in order. */
  readonly ranSinceEdit: readonly CommandRecord[];
  readonly isChanged: boolean;
}

/** They prepare, and pass wherever the rest fails. */
const preparing = /^(?:(?:npm|pnpm|yarn) (?:ci|install|i)\b|yarn$|pip3? install\b|cd |export |set |echo |mkdir )/;
/** Commands that only look, alone on their line: they change nothing that was shown. */
const looking = /^(?:git (?:diff|status|log|show)|cat|ls|head|tail|grep|rg|wc|pwd)\b[^;&|<>`$\n]*$/;
const maxNameChars = 120;

/** The result with what is shown. Work that is not shown to mend the check is not done, whatever the model says of it. */
export function proveFix(result: RunResult, { failed, ranSinceEdit, isChanged }: Evidence): RunResult {
  if (!isChanged || !isFinished(result)) return result;
  const telling = failed.filter((command) => !preparing.test(fold(command)));
  const wanted = (telling.length === 0 ? failed : telling).map(fold);
  const last = ranSinceEdit.findLastIndex(({ command }) => wanted.some((each) => runs(command, each)));
  const proof = ranSinceEdit[last];
  const after = ranSinceEdit.slice(last + 1);
  if (proof?.exitCode === 0 && after.every(({ command }) => looking.test(command.trim()))) {
    const note = `${toName(proof.command)}, ${saidOf(wanted)}, passes with this change.`;
    return { ...result, notes: [...(result.notes ?? []), note] };
  }
  return { ...result, error: { code: verifyFailed, message: describe(wanted, proof), hint } };
}

const hint = 'The change is in the diff below and not pushed. With `verify_command` the workflow names what has to pass.';

function describe(wanted: readonly string[], proof: CommandRecord | undefined): string {
  const [first] = wanted;
  if (first === undefined)
    return 'Which command failed is not to be seen in the check’s log, so nothing shows that this change mends it.';
  if (proof === undefined) return `${toName(first)}, ${saidOf(wanted)}, was not run after the last change.`;
  if (proof.exitCode !== 0)
    return `${toName(proof.command)} still fails with this change (exit code ${proof.exitCode ?? 'none'}).`;
  return `${toName(proof.command)} passed, but other commands were run after it that may have changed files.`;
}

/** The log names the commands of the step, and not at which of them it stopped. */
function saidOf(wanted: readonly string[]): string {
  return wanted.length === 1 ? 'which had failed in the check' : 'a command of the step that had failed';
}

/** As a part of a chain that goes on only while all is well, with its errors on either stream; what is wanted may be a chain itself. */
function runs(command: string, wanted: string): boolean {
  if (command.trim().includes('\n')) return fold(command) === wanted;
  const [parts, asked] = [partsOf(fold(command)), partsOf(wanted)];
  return parts.some((_, at) => {
    const isThere = asked.every((part, index) => parts[at + index] === part);
    return isThere && parts.slice(at + asked.length).every((part) => !otherExit.test(part));
  });
}

/** After it the exit code may be that of another command, though the one before it failed. */
const otherExit = /[;|&]/;

function partsOf(line: string): readonly string[] {
  return line.split(' && ').map((part) => part.replace(/ 2>&1$/, ''));
}

function fold(command: string): string {
  return command.trim().replace(/\s+/g, ' ');
}

function toName(command: string): string {
  return `\`${oneLine(command, maxNameChars).replaceAll('`', "'")}\``;
}
