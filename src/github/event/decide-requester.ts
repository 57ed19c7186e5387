// Owns who may ask: the requester's permission against the settings' lists; pure, asks nobody.
import { type GateFacts, type Instruction, type Permission, permissionSchema, type Skip } from '../../schema/gate.ts';
import type { Actor } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { isListed, type SkipDecision, skip } from './decide-trigger.ts';

/** From the weakest to the strongest. */
const ranks = permissionSchema.options;

/** Lists are exact names. `allowed_users` narrows who of the writers may ask; `allowed_non_write_users` lets others in, untrusted. */
export function refuseRequester(sender: Actor, requester: GateFacts['requester'], settings: GateSettings): SkipDecision | null {
  if (sender.type === 'Bot') return null;
  const isNamedOutsider = sender.type === 'User' && isListed(sender, settings.allowedNonWriteUsers);
  if (isNamedOutsider) return null;
  if (requester.kind === 'unknown') {
    return skip('permission_unknown', `the permission of ${sender.login} could not be verified: ${requester.reason}`, 'denied');
  }
  const { permission } = requester;
  if (!hasAtLeast(permission, settings.requiredPermission)) {
    return skip(
      'no_permission',
      `${sender.login} has the permission ${permission}, ${settings.requiredPermission} is needed`,
      'denied',
    );
  }
  if (settings.allowedUsers.length > 0 && !isListed(sender, settings.allowedUsers)) {
    return skip('no_permission', `${sender.login} is not listed in allowed_users`, 'denied');
  }
  return null;
}

/**
 * Naming a bot in `allowed_bots` is a writer's decision, and apps have no permission to ask for (G1-06): it asks as a writer does, while
 * what it wrote stays an outsider's text.
 */
export function asksAsWriter(sender: Actor, requester: GateFacts['requester'], settings: GateSettings): boolean {
  if (sender.type === 'Bot') return true;
  if (requester.kind === 'unknown') return false;
  return hasAtLeast(requester.permission, 'write') && hasAtLeast(requester.permission, settings.requiredPermission);
}

/**
 * Only who may write approves a plan, and whoever may just ask here is told so. A run in their name could not carry it out, and the
 * conversation, with the plan in it, would be trusted no further than they are from then on.
 */
export function refuseApproval(
  { sender, instruction }: { readonly sender: Actor; readonly instruction: Instruction },
  requester: GateFacts['requester'],
  settings: GateSettings,
  notice: Skip['notice'],
): SkipDecision | null {
  if (instruction.command !== 'approve' || asksAsWriter(sender, requester, settings)) return null;
  return skip(
    'no_permission',
    `${sender.login} may ask here, but only those who may write can approve a plan.`,
    'denied',
    notice,
  );
}

/** Whether `permission` is `required` or more. */
export function hasAtLeast(permission: Permission, required: Permission): boolean {
  return ranks.indexOf(permission) >= ranks.indexOf(required);
}
