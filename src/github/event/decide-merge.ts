// Owns whether the base is merged into the pull request's head before the run, and why not where it was asked for; pure.
import type { GateFacts, Instruction, OwnPull, PullHead, RunPlan } from '../../schema/gate.ts';

/** What else is decided of the run. */
export interface MergeQuestion extends Pick<RunPlan, 'mode' | 'delivery'> {
  readonly instruction: Instruction;
  /** What is checked out; null: the base alone. */
  readonly head: PullHead | null;
  readonly ownPull: OwnPull | null;
}

/** Words that ask for the base to be brought in, in the two languages that most requests are in. */
const mergeWords =
  /(?<![\w-])(?:(?:merge|rebase)[sd]?|merging|rebasing|merge-conflicts?|conflict(?:s|ed|ing)?)(?![\w-])|冲突|合并|变基/i;

/** What goes on with the work before it, whose words these have not. */
const goingOn: readonly Instruction['command'][] = ['continue', 'approve'];

/** Where nothing says that a request is about the base, its words may mean anything: then it is neither done nor told. */
export function decideMerge(question: MergeQuestion, facts: GateFacts): Pick<RunPlan, 'mergesBase' | 'noMerge'> {
  const { mode, delivery, head, instruction } = question;
  const goesOn = goingOn.includes(instruction.command) && facts.thread?.isMergeOpen === true;
  const isAsked = (mode === 'act' || mode === 'plan') && (goesOn || mergeWords.test(instruction.text));
  if (!isAsked || head === null || !mayConflict(facts, question.ownPull)) return { mergesBase: false };
  if (mode === 'act' && delivery === 'push_to_head') return { mergesBase: true };
  const isSure = goesOn || facts.thread?.isMergeable === false;
  // Stacked on the head, a run has the head for its base.
  const { branch } = question.ownPull?.base ?? facts.base;
  return { mergesBase: false, ...(isSure ? { noMerge: { branch, why: whyNot(question) } } : {}) };
}

/** Of an open pull request; where GitHub has not worked it out yet, or was not asked, bringing the base in does no harm. */
function mayConflict({ thread }: GateFacts, ownPull: OwnPull | null): boolean {
  if (ownPull !== null) return true;
  return thread?.state === 'open' && thread.head !== null && thread.isMergeable !== true;
}

function whyNot({ mode, head, delivery }: MergeQuestion): string {
  if (mode === 'plan') return 'a plan changes nothing; the base is merged in when the plan is carried out';
  if (head?.isFork === true) return 'the pull request comes from a fork, and nothing is pushed there';
  return delivery === 'pull_request'
    ? 'nothing is pushed to the pull request’s own branch here'
    : 'this run pushes nothing to the pull request’s branch';
}
