// The job summary: the reply again, the figures, and the patch, for whoever reads the run; pure. Made as harmless as a comment (D4).
import type { Bundle } from '../../schema/bundle.ts';
import { describeCost } from '../../schema/cost-words.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { Outcome } from '../../schema/outcome.ts';
import { boundMarkdown } from './bound-markdown.ts';
import { count } from './figures.ts';
import { inlineCode } from './inline-code.ts';
import { joinBlocks } from './join-blocks.ts';
import { plainLine } from './plain-line.ts';
import { renderAnswer, renderCause, renderNotices, rulesOf } from './render-blocks.ts';
import { renderCommands } from './render-commands.ts';
import { renderDetail } from './render-detail.ts';
import { renderDiffBlock } from './render-diff.ts';
import { ownWordsOf } from './render-ending.ts';
import { renderFallbacks } from './render-footer.ts';
import { renderLeftOut } from './render-left-out.ts';
import type { ReplyRules } from './sanitize-reply.ts';

/** A runner takes 1 MB of bytes for a step, and a character is up to three (D4). */
const maxSummaryChars = 340_000;
/** Here is what did not fit into the reply. */
const maxAnswerChars = 200_000;
const patchFile = 'the run’s output `patch_file`';

/** These levels keep no network apart from the runner's. */
const levelsWithoutNetwork = ['process', 'readonly', 'none'];

/** `bundle` null: the run ended before there was one. The caller applies the egress. */
export function renderSummary(plan: RunPlan, bundle: Bundle | null, outcome: Outcome): string {
  const rules = rulesOf(plan);
  const blocks = [
    `### harness9: ${outcome.conclusion.replaceAll('_', ' ')}`,
    outcome.error === undefined ? '' : renderCause('Cause', outcome.error, rules),
    bundle === null ? '' : renderDetail(bundle.result),
    renderTable(plan, bundle, outcome),
    bundle === null ? '' : renderLeftOut(bundle.leftOut, patchFile),
    renderNotices([...outcome.warnings, ...(bundle?.notices ?? [])], rules),
    outcome.preview === undefined ? renderWords(bundle, outcome, rules) : renderPreview(outcome.preview),
    // A reply that is shown whole has them.
    bundle === null || outcome.preview !== undefined ? '' : renderCommands(bundle.commands),
  ];
  const room = maxSummaryChars - joinBlocks(blocks).length - 10;
  const patches = (bundle?.changes ?? []).map((change) => change.patch);
  return boundMarkdown(
    joinBlocks([...blocks, renderDiffBlock(patches, 'The diff', { room, where: patchFile })]),
    maxSummaryChars,
  );
}

/** A dry run: the reply and the pull request as they would have been. */
function renderPreview({ reply, push }: NonNullable<Outcome['preview']>): string {
  const pullRequest = push?.pullRequest ?? null;
  return joinBlocks([
    '**Dry run: nothing was written to GitHub.**',
    push === null ? '' : `The changes would have been pushed to ${inlineCode(push.branch, 250)}.`,
    '#### The reply would have been',
    reply,
    ...(pullRequest === null ? [] : [`#### The pull request would have been: ${plainLine(pullRequest.title)}`, pullRequest.body]),
  ]);
}

/** The answer; without a bundle the reply that GitHub did not take, or what the model had said. */
function renderWords(bundle: Bundle | null, outcome: Outcome, rules: ReplyRules): string {
  const answer = bundle === null ? outcome.answer : ownWordsOf(bundle);
  if (answer === undefined) return outcome.unposted ?? '';
  return renderAnswer(answer, rules, { maxChars: maxAnswerChars, note: '_The answer is cut here._' });
}

function renderTable(plan: RunPlan, bundle: Bundle | null, outcome: Outcome): string {
  const rows: (readonly [string, string])[] = [
    ['asked by', `${inlineCode(plan.requester.login)} (${plan.trigger.kind})`],
    ['trust', `${plan.trust}: ${inlineCode(plan.trustReason, 200)}`],
    ['tools, bash, network', `${plan.tools}, ${plan.bash}, ${renderNetwork(plan, bundle)}`],
    ['commit', inlineCode(plan.checkoutSha)],
    ...(bundle === null ? [] : [['sandbox', inlineCode(bundle.sandbox)] as const]),
    ...(bundle === null ? [] : [['ended', `${bundle.result.stopReason} after ${count(bundle.result.turns, 'turn')}`] as const]),
    ...renderModels(bundle),
    ...renderCosts(bundle),
    ...(outcome.branchName === null ? [] : [['branch', inlineCode(outcome.branchName, 250)] as const]),
    ...(outcome.pullRequest === null
      ? []
      : [
          [
            'pull request',
            `[#${outcome.pullRequest.number}](${outcome.pullRequest.url})${outcome.pullRequest.operation === 'closed' ? ', closed: nothing was left to do' : ''}`,
          ] as const,
        ]),
    ...(outcome.comment === null ? [] : [['reply', `[comment](${outcome.comment.url})`] as const]),
  ];
  return ['| | |', '| --- | --- |', ...rows.map(([name, value]) => `| ${name} | ${value.replaceAll('|', '\\|')} |`)].join('\n');
}

/** A run without a thread has no reply whose footer says it. */
function renderModels(bundle: Bundle | null): (readonly [string, string])[] {
  const switches = bundle === null ? [] : renderFallbacks(bundle);
  return switches.length === 0 ? [] : [['models', switches.join('; ')]];
}

function renderCosts(bundle: Bundle | null): (readonly [string, string])[] {
  const words = bundle?.result.cost && describeCost(bundle.result.cost);
  return words === undefined ? [] : [['cost', plainLine(words)]];
}

/** What was granted, and whether it was more than a word. */
function renderNetwork({ network }: RunPlan, bundle: Bundle | null): string {
  if (network === 'open' || bundle === null || !levelsWithoutNetwork.includes(bundle.sandbox)) return network;
  return `${network} (not enforced at sandbox level ${bundle.sandbox})`;
}
