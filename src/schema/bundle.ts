// The bundle: reply and file changes as data, bound to the RunPlan by its hash; the only way from the agent to publish.
import { z } from 'zod';
import { runResultSchema } from './run.ts';

/** 100644 a file, 100755 an executable, 120000 a symbolic link whose content is the link's text (G1-27). */
export const fileModeSchema = z.enum(['100644', '100755', '120000']);
export type FileMode = z.infer<typeof fileModeSchema>;

const contentSchema = z.object({ encoding: z.enum(['utf-8', 'base64']), data: z.string() });

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

export const bundleSchema = z.object({
  version: z.literal(1),
  planHash: z.string(),
  /** The commit that the changes are made against. */
  baseSha: z.string().regex(/^[0-9a-f]{40}$/),
  /** A second parent; must be the base branch's head. */
  mergeParent: z.string().nullable(),
  result: runResultSchema,
  reply: z.string(),
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
  readonly code: 'schema' | 'plan_mismatch' | 'path' | 'mode' | 'size' | 'symlink' | 'secret' | 'merge_parent';
  readonly message: string;
}
