// The job summary: the reply again, the figures, and the patch, for whoever reads the run; pure. Made as harmless as a comment (D4).
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { Outcome } from '../../schema/outcome.ts';
import { inlineCode } from './inline-code.ts';
import { joinBlocks, renderAnswer, renderCause, renderCommands, renderLeftOut, renderNotices, rulesOf } from './render-blocks.ts';
import { renderDiffBlock } from './render-diff.ts';

/** A runner takes 1 MB for all steps together; more than this nobody reads (D4). */
const maxSummaryChars = 256 * 1024;
const maxAnswerChars = 64_000;

/** These levels keep no network apart from the runner's. */
const levelsWithoutNetwork = ['process', 'readonly', 'none'];

/** `bundle` null: the run ended before there was one. The caller applies the egress. */
export function renderSummary(plan: RunPlan, bundle: Bundle | null, outcome: Outcome): string {
  const rules = rulesOf(plan);
  const blocks = [
    `### harness9: ${outcome.conclusion.replaceAll('_', ' ')}`,
    outcome.error === undefined ? '' : renderCause('Cause', outcome.error, rules),
    renderTable(plan, bundle, outcome),
    renderNotices([...outcome.warnings, ...(bundle?.notices ?? [])], rules),
    bundle === null ? (outcome.unposted ?? '') : renderAnswer(bundle.reply, rules, maxAnswerChars),
    bundle === null ? '' : renderLeftOut(bundle.leftOut),
    bundle === null ? '' : renderCommands(bundle.commands),
  ];
  const room = maxSummaryChars - joinBlocks(blocks).length - 10;
  return joinBlocks([
    ...blocks,
    renderDiffBlock(
      (bundle?.changes ?? []).map((change) => change.patch),
      'The diff',
      room,
    ),
  ]);
}

function renderTable(plan: RunPlan, bundle: Bundle | null, outcome: Outcome): string {
  const rows: (readonly [string, string])[] = [
    ['asked by', `${inlineCode(plan.requester.login)} (${plan.trigger.kind})`],
    ['trust', `${plan.trust}: ${inlineCode(plan.trustReason, 200)}`],
    ['tools, bash, network', `${plan.tools}, ${plan.bash}, ${renderNetwork(plan, bundle)}`],
    ['commit', inlineCode(plan.checkoutSha)],
    ...(bundle === null ? [] : [['sandbox', inlineCode(bundle.sandbox)] as const]),
    ...(bundle === null ? [] : [['ended', `${bundle.result.stopReason} after ${bundle.result.turns} turns`] as const]),
    ...(outcome.branchName === null ? [] : [['branch', inlineCode(outcome.branchName, 250)] as const]),
    ...(outcome.pullRequest === null
      ? []
      : [['pull request', `[#${outcome.pullRequest.number}](${outcome.pullRequest.url})`] as const]),
    ...(outcome.comment === null ? [] : [['reply', `[comment](${outcome.comment.url})`] as const]),
  ];
  return ['| | |', '| --- | --- |', ...rows.map(([name, value]) => `| ${name} | ${value.replaceAll('|', '\\|')} |`)].join('\n');
}

/** What was granted, and whether it was more than a word. */
function renderNetwork({ network }: RunPlan, bundle: Bundle | null): string {
  if (network === 'open' || bundle === null || !levelsWithoutNetwork.includes(bundle.sandbox)) return network;
  return `${network} (not enforced at sandbox level ${bundle.sandbox})`;
}
