// Owns what the payloads of several events have in common, as schemas, and how a payload that does not fit is refused.
import { z } from 'zod';
import { Harness9Error } from '../../schema/error.ts';
import { type Actor, actorSchema } from '../../schema/github-event.ts';

const accountTypes = actorSchema.shape.type.options;

const accountSchema = z
  .object({ login: z.string(), id: z.number(), type: z.string().optional() })
  // An account type that we do not know is treated as a bot: bots must be listed by name.
  .transform(
    ({ login, id, type }): Actor => ({ login, id, type: accountTypes.find((known) => known === (type ?? 'User')) ?? 'Bot' }),
  );

/** null: the account is gone (G1-05). */
export const userSchema = accountSchema.nullish().transform((user) => user ?? null);

export const repositoryPayload = z
  .object({
    id: z.number(),
    name: z.string(),
    owner: z.object({ login: z.string() }),
    default_branch: z.string(),
    private: z.boolean(),
  })
  .transform((repository) => ({
    id: repository.id,
    owner: repository.owner.login,
    name: repository.name,
    defaultBranch: repository.default_branch,
    isPrivate: repository.private,
  }));

/** What every payload of an event with an action begins with. */
export const envelope = { action: z.string(), repository: repositoryPayload, sender: userSchema };

export const commentPayload = z.object({ id: z.number(), body: z.string().nullish(), created_at: z.string() });

/** A pull request as every event about one names it. `head.repo` null: the fork was deleted (G1-09). */
export const pullPayload = z.object({
  number: z.number().int(),
  title: z.string(),
  head: z.object({ sha: z.string(), repo: z.object({ id: z.number() }).nullish() }),
});

/** The thread, its title and its head, as the events have them; `repositoryId`: of the repository that raised the event. */
export function onPull({ number, title, head }: z.infer<typeof pullPayload>, repositoryId: number) {
  return {
    thread: { kind: 'pull_request', number },
    title,
    headSha: head.sha,
    isFork: head.repo?.id !== repositoryId,
  } as const;
}

export function commentOf(comment: z.infer<typeof commentPayload>) {
  return { id: comment.id, body: comment.body ?? '', createdAt: comment.created_at };
}

/** The payload by its schema. Throws EVENT_MALFORMED: which field, what was seen. */
export function read<T>(name: string, schema: z.ZodType<T>, payload: unknown): T {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const faults = result.error.issues.map(
    (issue) => `${issue.path.join('.') || 'payload'}: ${issue.message}, saw ${seen(payload, issue.path)}`,
  );
  throw new Harness9Error({
    code: 'EVENT_MALFORMED',
    message: `The payload of the event ${name} cannot be read: ${faults.join('; ')}.`,
    hint: 'GITHUB_EVENT_PATH must hold the payload that GitHub wrote for GITHUB_EVENT_NAME.',
    cause: result.error,
  });
}

/** The value at `path`, short: 80 characters say what is wrong without quoting a whole payload. */
function seen(payload: unknown, path: readonly PropertyKey[]): string {
  const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[String(key)] : undefined), payload);
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
