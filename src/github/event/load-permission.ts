// Owns the question to GitHub whether an account may write here; any doubt is an answer of its own, never a yes (A2, A3).
import { z } from 'zod';
import { type GateFacts, permissionSchema } from '../../schema/gate.ts';
import { GitHubApiError, isGone, type RepositoryApi } from '../api.ts';

type PermissionFact = GateFacts['requester'];

const answerSchema = z.object({ role_name: z.string().nullish(), permission: z.string().nullish() });

/**
 * The live permission of `login`. `role_name` tells triage from read and maintain from write; a custom role has a name of its own, and
 * then `permission`, its base, counts. 404, a refusal and an unreadable answer are `unknown` with the reason (G1-06).
 */
export async function loadPermission(
  { api, repository }: RepositoryApi,
  login: string,
  signal: AbortSignal,
): Promise<PermissionFact> {
  try {
    const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
    const { data } = await api.rest(route, { ...repository, username: login }, signal);
    return readPermission(data);
  } catch (error) {
    if (!(error instanceof GitHubApiError)) throw error;
    const reason = isGone(error) ? `GitHub knows no user ${login} here (${error.status})` : `could not verify: ${error.message}`;
    return { kind: 'unknown', reason };
  }
}

function readPermission(data: unknown): PermissionFact {
  const { role_name, permission } = answerSchema.catch({}).parse(data);
  const read = [role_name, permission].map((name) => permissionSchema.safeParse(name).data).find((known) => known !== undefined);
  if (read !== undefined) return { kind: 'known', permission: read };
  return { kind: 'unknown', reason: `GitHub answered with the permission ${JSON.stringify(permission ?? null)}` };
}

/** Whether a login may write; asks once for each. */
export type WriterLookup = (login: string, signal: AbortSignal) => Promise<boolean>;

/** More authors than this are not asked for: they count as outsiders, which only narrows the run. */
const maxLookups = 30;

/** A lookup for one run: every login once, 30 at most, doubt is no. */
export function createWriterLookup(access: RepositoryApi): WriterLookup {
  const known = new Map<string, Promise<boolean>>();
  return (login, signal) => {
    const key = login.toLowerCase();
    const asked = known.get(key);
    if (asked !== undefined) return asked;
    if (known.size >= maxLookups) return Promise.resolve(false);
    const answer = loadPermission(access, login, signal).then(
      (fact) => fact.kind === 'known' && ['write', 'maintain', 'admin'].includes(fact.permission),
    );
    known.set(key, answer);
    return answer;
  };
}
