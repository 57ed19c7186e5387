// The outcome: what a run left behind on GitHub, for outputs, summary and exit code. Names: INTERFACE.md, Action outputs.
import { z } from 'zod';

export const conclusionSchema = z.enum([
  'success',
  'no_changes',
  'verify_failed',
  'max_turns',
  'timeout',
  'budget',
  'repetition',
  'refused',
  'cancelled',
  'denied',
  'skipped',
  'error',
]);
export type Conclusion = z.infer<typeof conclusionSchema>;

export const outcomeSchema = z.object({
  version: z.literal(1),
  conclusion: conclusionSchema,
  comment: z.object({ id: z.number(), url: z.string() }).nullable(),
  branchName: z.string().nullable(),
  commitSha: z.string().nullable(),
  pullRequest: z
    .object({ number: z.number().int(), url: z.string(), operation: z.enum(['created', 'updated', 'closed', 'none']) })
    .nullable(),
  filesChanged: z.number().int(),
  /** The published or unpublished diff as one patch, for the output file. */
  patch: z.string(),
  /** Why the run failed, was refused or cut, and what to do; not there when it came to its end. */
  error: z.object({ message: z.string(), hint: z.string().optional() }).optional(),
  warnings: z.array(z.string()).readonly(),
  /** Of a dry run: what would have been written. `push` null: nothing would have been pushed; its `pullRequest` null: to none that is new. */
  preview: z
    .object({
      reply: z.string(),
      push: z
        .object({ branch: z.string(), pullRequest: z.object({ title: z.string(), body: z.string() }).nullable() })
        .nullable(),
    })
    .optional(),
  /** What the model had said in a run that left no bundle; for the job summary. */
  answer: z.string().optional(),
  /** The reply that GitHub did not take; belongs into the job summary (G1-30). */
  unposted: z.string().optional(),
});
export type Outcome = Readonly<z.infer<typeof outcomeSchema>>;
