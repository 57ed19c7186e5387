// Owns the trust table of DESIGN.md: how far a run is trusted, and what that leaves of tools, shell and network; pure.
import type { GateFacts, OwnPull, RunPlan, Trust } from '../../schema/gate.ts';
import type { GateSettings } from '../../schema/settings.ts';

export interface TrustInput {
  readonly facts: GateFacts;
  readonly isRequesterWriter: boolean;
  readonly requester: string;
  readonly context: RunPlan['context'];
  /** The pull request of ours that the run goes on with. */
  readonly ownPull: OwnPull | null;
}

/** The trust of a run and the one reason that decides it; the first row that applies, from the lowest up. */
export function decideTrust(input: TrustInput): { readonly trust: Trust; readonly reason: string } {
  const { facts, isRequesterWriter, requester } = input;
  const head = checkedOutHead(facts);
  if (head?.isFork)
    return { trust: 'untrusted', reason: `the code of the fork ${head.repository ?? '(deleted)'} is checked out` };
  if (head?.movedAfterTrigger) {
    const why = head.isUnlisted === true ? ', since GitHub lists no pushes here' : '';
    return { trust: 'untrusted', reason: `it cannot be shown that the head ${head.sha} stood before the request${why}` };
  }
  return isRequesterWriter ? trustOfTexts(input) : trustOfOutsider(facts, requester);
}

/** A pull request's head is checked out while it is open; a closed one is answered from the default branch (G1-14). */
export function checkedOutHead(facts: GateFacts) {
  return facts.thread?.state === 'open' ? facts.thread.head : null;
}

function trustOfOutsider(facts: GateFacts, requester: string) {
  const permission = facts.requester.kind === 'known' ? facts.requester.permission : 'unknown';
  return { trust: 'untrusted', reason: `${requester} asks with the permission ${permission}` } as const;
}

function trustOfTexts(input: TrustInput) {
  const { ownPull } = input;
  const texts = trustOfThread(input);
  // What a mixed run wrote is an outsider's text by another hand, and commands would run it.
  if (texts.trust === 'mixed' || ownPull === null || ownPull.trust === 'trusted') return texts;
  return {
    trust: 'mixed',
    reason: `#${ownPull.number} was written by a run about text by people who may not write here`,
  } as const;
}

function trustOfThread({ facts, context }: TrustInput) {
  const outsiders = (facts.thread?.authors ?? [])
    .filter((author) => !author.isWriter && !author.isSelf)
    .map((author) => author.login);
  if (outsiders.length === 0) return { trust: 'trusted', reason: 'a writer asks, and all text is by writers' } as const;
  if (context === 'writers') return { trust: 'trusted', reason: 'a writer asks, and text by others is left out' } as const;
  const names = outsiders.slice(0, 3).join(', ') + (outsiders.length > 3 ? ` and ${outsiders.length - 3} more` : '');
  return { trust: 'mixed', reason: `the thread holds text by ${names}, who may not write here` } as const;
}

type Means = Pick<RunPlan, 'tools' | 'bash' | 'network'>;

export interface MeansInput {
  readonly mode: RunPlan['mode'];
  readonly isPrivate: boolean;
  readonly network: GateSettings['network'];
  /** A writer asks about a fork's code: the run may edit files, since nothing runs and the result is a diff in the reply (decision 0007). */
  readonly mayPropose: boolean;
}

/**
 * Tools, shell and network of a trust level. A trusted run takes `network` as it is set; the others only when it is narrower. A plan needs
 * reading alone, whoever asks for it, and what is taken back needs nothing; a review edits nothing, and runs what its trust may.
 */
export function decideMeans(trust: Trust, input: MeansInput): Means {
  if (input.mode === 'plan' || input.mode === 'undo') return { tools: 'read_only', bash: 'denied', network: 'off' };
  const means = meansOf(trust, input);
  return input.mode === 'review' ? { ...means, tools: 'read_only' } : means;
}

function meansOf(trust: Trust, { isPrivate, network, mayPropose }: MeansInput): Means {
  switch (trust) {
    case 'trusted':
      return { tools: 'all', bash: 'allowed', network: network === 'auto' ? (isPrivate ? 'allowlist' : 'open') : network };
    case 'mixed':
      return { tools: 'all', bash: 'sandboxed', network: narrower(isPrivate ? 'off' : 'allowlist', network) };
    case 'untrusted':
      return { tools: mayPropose ? 'all' : 'read_only', bash: 'denied', network: 'off' };
  }
}

function narrower(granted: Means['network'], wanted: GateSettings['network']): Means['network'] {
  const order = ['off', 'allowlist', 'open'] as const;
  return wanted !== 'auto' && order.indexOf(wanted) < order.indexOf(granted) ? wanted : granted;
}
