// Permission rules over an invented workspace, and calls to ask them about.

import { createPermissionChecker, type PermissionChecker } from '../../../src/policy/permissions/checker.ts';
import type { GivenRules } from '../../../src/policy/permissions/rules.ts';
import { parsePermissionRules } from '../../../src/policy/permissions/rules.ts';
import type { PermissionDecision } from '../../../src/schema/permission.ts';

export const workDir = '/work/repository';

export interface Asked {
  readonly checker: PermissionChecker;
  readonly bash: (command: string) => Promise<PermissionDecision>;
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<PermissionDecision>;
}

/** A checker over these rules; no path is a link. */
export function checkerOf(given: Partial<GivenRules>): Asked {
  const rules = parsePermissionRules({ allowedTools: null, disallowedTools: null, permissionRules: null, ...given });
  return askOf(createPermissionChecker(rules, { workDir, realPath: async (absolute) => absolute }));
}

export function askOf(checker: PermissionChecker): Asked {
  const context = { signal: AbortSignal.abort(), run: {} };
  const call: Asked['call'] = (name, args) =>
    checker.check({ id: '1', name, arguments: JSON.stringify(args) }, undefined, context);
  return { checker, call, bash: (command) => call('bash', { command }) };
}
