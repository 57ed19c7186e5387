// The bundle: reply and file changes as data, bound to the RunPlan by its hash; the only way from the agent to publish.
import { z } from 'zod';
import { runResultSchema } from './run.ts';

/** 100644 a file, 100755 an executable, 120000 a symbolic link whose content is the link's text (G1-27). */
export const fileModeSchema = z.enum(['100644', '100755', '120000']);
export type FileMode = z.infer<typeof fileModeSchema>;

const contentSchema = z.object({ encoding: z.enum(['utf-8', 'base64']), data: z.string() });
export type FileContent = z.infer<typeof contentSchema>;

export const changeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('write'),
    path: z.string(),
    isNew: z.boolean(),
    mode: fileModeSchema,
    content: contentSchema,
    patch: z.string(),
  }),
  z.object({ kind: z.literal('delete'), path: z.string(), patch: z.string() }),
]);
export type Change = Readonly<z.infer<typeof changeSchema>>;

/** A remark on lines of the pull request's diff. `suggestion`: what takes the lines' place at a click; null: there is none. */
export const reviewCommentSchema = z.object({
  path: z.string(),
  side: z.enum(['LEFT', 'RIGHT']),
  startLine: z.number().int().positive().nullable(),
  line: z.number().int().positive(),
  body: z.string(),
  suggestion: z.string().nullable(),
  /** The last of the lines, as the diff has it: by it a finding is known again when lines have moved. */
  code: z.string(),
});
export type ReviewComment = Readonly<z.infer<typeof reviewCommentSchema>>;

/** Nobody reads more, and GitHub has trouble with hundreds in one review. */
export const maxReviewComments = 50;

export const reviewSchema = z.object({
  verdict: z.enum(['comment', 'approve', 'request_changes']),
  comments: z.array(reviewCommentSchema).readonly(),
});
export type Review = Readonly<z.infer<typeof reviewSchema>>;

/**
 * What merging the base made of a path, against the base's own tree. `isNew`: the base has no such path. `known`: as GitHub has it
 * already, by its name there; 160000 is a submodule. `merged`: both sides changed it and no line is in conflict. `open`: it holds conflict
 * marks, and only what the run makes of it is published.
 */
const mergedPathSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('delete'), path: z.string() }),
  z.object({
    kind: z.literal('known'),
    path: z.string(),
    isNew: z.boolean(),
    mode: z.enum([...fileModeSchema.options, '160000']),
    sha: z.string().regex(/^[0-9a-f]{40}$/),
  }),
  z.object({ kind: z.literal('merged'), path: z.string(), isNew: z.boolean(), mode: fileModeSchema, content: contentSchema }),
  z.object({ kind: z.literal('open'), path: z.string(), isNew: z.boolean() }),
]);
export type MergedPath = Readonly<z.infer<typeof mergedPathSchema>>;

/** A path in conflict. `what`: git's words for it. `marks`: the lines in it that neither side has; none where the conflict is of another kind. */
export const mergeConflictSchema = z.object({ path: z.string(), what: z.string(), marks: z.array(z.string()).readonly() });
export type MergeConflict = Readonly<z.infer<typeof mergeConflictSchema>>;

export const mergeSchema = z.object({
  paths: z.array(mergedPathSchema).readonly(),
  conflicts: z.array(mergeConflictSchema).readonly(),
});
/** The base merged into the head, as the run found it in the workspace. */
export type Merge = Readonly<z.infer<typeof mergeSchema>>;

export const bundleSchema = z.object({
  version: z.literal(1),
  planHash: z.string(),
  /** The commit that the changes are made against. */
  baseSha: z.string().regex(/^[0-9a-f]{40}$/),
  /** A second parent; must be the base branch's head. */
  mergeParent: z.string().nullable(),
  /** There with a second parent only; the changes are made against its result. */
  merge: mergeSchema.optional(),
  result: runResultSchema,
  reply: z.string(),
  /** What a run in the mode `review` found; null for every other. */
  review: reviewSchema.nullable(),
  /** Why the failed check is to run again instead of being mended; null: it is not. */
  rerun: z.object({ reason: z.string() }).nullable(),
  /** Our own commit that the changes take back; absent: they take none back. */
  undoes: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .optional(),
  /** One line for the commit and the pull request. */
  title: z.string(),
  changes: z.array(changeSchema).readonly(),
  /** What was changed in the workspace and is not published, with the reason. */
  leftOut: z.array(z.object({ path: z.string(), reason: z.string(), patch: z.string() })).readonly(),
  /** The commands that were run, from our log and not from the model. */
  commands: z.array(z.object({ command: z.string(), exitCode: z.number().nullable() })).readonly(),
  sandbox: z.string(),
  session: z.object({
    id: z.string().nullable(),
    resumed: z.boolean(),
    artifactId: z.number().nullable(),
    notice: z.string().nullable(),
  }),
  notices: z.array(z.string()).readonly(),
});
export type Bundle = Readonly<z.infer<typeof bundleSchema>>;

/** Why a bundle is not published; nothing of it is. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly code: 'schema' | 'plan_mismatch' | 'path' | 'mode' | 'size' | 'symlink' | 'secret' | 'merge_parent' | 'conflict';
  readonly message: string;
}
