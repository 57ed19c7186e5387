// Permission rules over an invented workspace, and calls to ask them about.
import { createPermissionChecker, type PermissionChecker } from '../../../src/policy/permissions/checker.ts';
import type { PathParts } from '../../../src/policy/permissions/path-subject.ts';
import { type GivenRules, parsePermissionRules } from '../../../src/policy/permissions/rules.ts';
import type { PermissionDecision } from '../../../src/schema/permission.ts';

export const workDir = '/work/repository';

/** No path is a link. */
export const parts: PathParts = { workDir, realPath: async (absolute) => absolute };

export interface Asked {
  readonly checker: PermissionChecker;
  readonly bash: (command: string) => Promise<PermissionDecision>;
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<PermissionDecision>;
}

/** A checker over these rules. */
export function checkerOf(given: Partial<GivenRules>): Asked {
  const rules = parsePermissionRules({ allowedTools: null, disallowedTools: null, permissionRules: null, ...given });
  return askOf(createPermissionChecker(rules, parts));
}

export function askOf(checker: PermissionChecker): Asked {
  const context = { signal: AbortSignal.abort(), run: {} };
  const call: Asked['call'] = (name, args) =>
    checker.check({ id: '1', name, arguments: JSON.stringify(args) }, undefined, context);
  return { checker, call, bash: (command) => call('bash', { command }) };
}
