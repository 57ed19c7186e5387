// Owns who may ask: the requester's permission against the settings' lists; pure, asks nobody.
import {
  type GateFacts,
  type Instruction,
  type Permission,
  permissionSchema,
  type Skip,
  type Trigger,
} from '../../schema/gate.ts';
import type { Actor, GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { isListed, refuseBot, requestersOf } from './decide-trigger.ts';
import { type SkipDecision, skip } from './skip.ts';

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
 * `none` lets everybody in, untrusted, where the workflow itself says what is done (its `prompt`, about an issue that somebody opened). A
 * comment, a label or an assignment is somebody's own order, which takes a writer as ever (A1, A8, decision 0038).
 */
export function settingsFor({ kind }: Pick<Trigger, 'kind'>, settings: GateSettings): GateSettings {
  const isOrder = kind !== 'prompt';
  return settings.requiredPermission === 'none' && isOrder ? { ...settings, requiredPermission: 'write' } : settings;
}

/**
 * Everybody whom an event needs to be let in by, against the weakest permission among them; the first no is the answer. What we pushed
 * ourselves was asked for by somebody who may, and a check of it is nobody else's.
 */
export function refuseRequesters(
  event: GitHubEvent,
  facts: Pick<GateFacts, 'requester' | 'self'>,
  settings: GateSettings,
): SkipDecision | null {
  const others = requestersOf(event).filter(({ id }) => !('check' in event && id === facts.self.id));
  const refusals = others.map((actor) => refuseBot(actor, settings) ?? refuseRequester(actor, facts.requester, settings));
  return refusals.find((refusal) => refusal !== null) ?? null;
}

/**
 * Naming a bot in `allowed_bots` is a writer's decision, and apps have no permission to ask for (G1-06): it asks as a writer does, while
 * what it wrote stays an outsider's text. All of them have to.
 */
export function asksAsWriter(event: GitHubEvent, requester: GateFacts['requester'], settings: GateSettings): boolean {
  return requestersOf(event).every(({ type }) => type === 'Bot' || mayWrite(requester, settings));
}

function mayWrite(requester: GateFacts['requester'], settings: GateSettings): boolean {
  if (requester.kind === 'unknown') return false;
  return hasAtLeast(requester.permission, 'write') && hasAtLeast(requester.permission, settings.requiredPermission);
}

/** What is carried out without a model that may refuse it, and what only those may ask for who could do it themselves. */
const writersWords = { approve: 'approve a plan', undo: 'have a commit taken back' } as const;

/**
 * Only who may write approves a plan or takes work back, and whoever may just ask here is told so. A run in their name could not carry it
 * out, and the conversation, with the plan in it, would be trusted no further than they are from then on.
 */
export function refuseWritersWord(
  event: GitHubEvent,
  { sender, instruction: { command } }: { readonly sender: Actor; readonly instruction: Instruction },
  { facts, settings, notice }: { readonly facts: GateFacts; readonly settings: GateSettings; readonly notice: Skip['notice'] },
): SkipDecision | null {
  if (command !== 'approve' && command !== 'undo') return null;
  if (asksAsWriter(event, facts.requester, settings)) return null;
  const what = writersWords[command];
  return skip('no_permission', `${sender.login} may ask here, but only those who may write can ${what}.`, 'denied', notice);
}

/** Whether `permission` is `required` or more. */
export function hasAtLeast(permission: Permission, required: Permission): boolean {
  return ranks.indexOf(permission) >= ranks.indexOf(required);
}
