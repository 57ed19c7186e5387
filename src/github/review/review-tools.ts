// Owns the tools with which a run in the mode `review` says what it found. Nothing is posted from here: it becomes a part of the bundle.
import { z } from 'zod';
import { maxReviewComments, type Review, type ReviewComment, reviewSchema } from '../../schema/bundle.ts';
import { messageOf } from '../../schema/error.ts';
import type { DiffIndex } from './load-diff-index.ts';
import { placeComment } from './place-comment.ts';

const maxBodyChars = 10_000;
const maxSuggestionChars = 20_000;

const remarkSchema = z.object({
  path: z.string().min(1),
  line: z.int().positive(),
  start_line: z.int().positive().optional(),
  side: z.enum(['LEFT', 'RIGHT']).optional(),
  body: z.string().trim().min(1).max(maxBodyChars),
  suggestion: z.string().max(maxSuggestionChars).optional(),
});

export interface ReviewTools {
  readonly remark: ReturnType<typeof createRemarkTool>;
  readonly verdict: ReturnType<typeof createVerdictTool>;
  /** What was found until now. */
  draft(): Review;
}

/** `load`: the lines of the diff; asked for with the first remark, and again after a failure. */
export function createReviewTools(load: (signal: AbortSignal) => Promise<DiffIndex>): ReviewTools {
  const comments: ReviewComment[] = [];
  let verdict: Review['verdict'] = 'comment';
  return {
    remark: createRemarkTool(comments, load),
    verdict: createVerdictTool((given) => {
      verdict = given;
    }),
    draft: () => ({ verdict, comments: [...comments] }),
  };
}

function createRemarkTool(comments: ReviewComment[], load: (signal: AbortSignal) => Promise<DiffIndex>) {
  let index: Promise<DiffIndex> | undefined;
  return {
    name: 'add_review_comment',
    description:
      'Notes one finding on lines of the pull request’s diff; all of them are posted with your final answer as one review. `line` is the last ' +
      'line that it is about, in the new file; `start_line` the first of several; `side` LEFT for removed lines. `body`: what is wrong and ' +
      'why it matters. `suggestion`: the whole text that takes the place of these lines at a click, with their indentation.',
    place: 'main',
    effect: 'read',
    schema: remarkSchema,
    run: async (remark: z.infer<typeof remarkSchema>, { signal }: { readonly signal: AbortSignal }) => {
      if (comments.length >= maxReviewComments) return refuse(`there are ${maxReviewComments} already. Finish with your answer.`);
      index ??= load(signal);
      try {
        const placed = placeComment(remark, await index);
        if (placed.kind === 'problem') return refuse(placed.problem);
        if (comments.some((known) => isSame(known, placed.comment))) return refuse('it is noted already.');
        comments.push(placed.comment);
        return { output: `Noted as finding ${comments.length}.`, isError: false };
      } catch (error) {
        index = undefined;
        return refuse(`the diff could not be loaded (${messageOf(error)}). Try again, or say it in your answer.`);
      }
    },
  } as const;
}

function isSame(one: ReviewComment, other: ReviewComment): boolean {
  return one.path === other.path && one.side === other.side && one.line === other.line && one.body === other.body;
}

const verdictSchema = z.object({ verdict: reviewSchema.shape.verdict });

function createVerdictTool(set: (verdict: Review['verdict']) => void) {
  return {
    name: 'set_verdict',
    description:
      'Says what the review comes to: `approve` when it may be merged as it is, `request_changes` when it must not, `comment` (as without ' +
      'this call) for no verdict. The last call counts.',
    place: 'main',
    effect: 'read',
    schema: verdictSchema,
    run: async ({ verdict }: z.infer<typeof verdictSchema>) => {
      set(verdict);
      return { output: `The verdict is ${verdict}.`, isError: false };
    },
  } as const;
}

function refuse(why: string) {
  return { output: `add_review_comment: not noted: ${why}`, isError: true };
}
