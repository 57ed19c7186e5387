// How a person applies the diff of a reply in a clone: one line for a shell, which takes it out of that very reply; pure.
import type { RunPlan } from '../../schema/gate.ts';
import { renderMarker } from '../marker.ts';
import { fencedCode } from './inline-code.ts';
import { summaryOf } from './render-diff.ts';

/** What is copied from a page loses ends of lines, so the reply is asked for again; ours alone, since anybody may write our marker (G8). Empty where there is no way. */
export function renderApply(plan: RunPlan, patches: readonly string[], label: string): string {
  const place = placeOf(plan);
  if (place === null || patches.some((patch) => withoutContent.test(patch))) return '';
  const { trigger, self, thread } = plan;
  const marker = renderMarker({ trigger: trigger.id, kind: 'reply' }).replace(/ -->$/, '');
  const filter = `.[] | select(.user.login == "${self.login}" and (.body | startswith("${marker}"))).body`;
  // The last one: what stands above is the model's words, which may look like it.
  const start = summaryOf(label).replace('(', '\\(');
  const section = `/^${start}/ { text = ""; on = 1 } on { text = text $0 RS } /^<\\/details>$/ { on = 0 } END { printf "%s", text }`;
  const checkout = thread?.kind === 'pull_request' ? `gh pr checkout ${thread.number} && ` : '';
  const line = `${checkout}gh api --paginate ${hostOf(plan)}'${place}' --jq '${filter}' | awk '${section}' | ${apply}`;
  return `To apply it in a clone, with [GitHub’s command line](https://cli.github.com):\n\n${fencedCode(line, 'sh')}`;
}

/** From the root of the clone: of what lies outside the folder that it is called in, git applies nothing and says nothing. */
const apply = 'git -C "$(git rev-parse --show-toplevel)" apply';

/** What a patch says in the place of what is not text, or is too long. */
const withoutContent = /^(?:Binary files .* differ|\\ \d+ more lines of this diff are not shown)$/m;

/** Where REST lists the reply; null: nowhere. */
function placeOf({ channel, repository: { owner, name } }: RunPlan): string | null {
  if (channel?.kind === 'thread') return `repos/${owner}/${name}/issues/${channel.number}/comments`;
  return channel?.kind === 'review_thread' ? `repos/${owner}/${name}/pulls/${channel.pull}/comments` : null;
}

function hostOf({ run }: RunPlan): string {
  const { host } = new URL(run.url);
  return host === 'github.com' ? '' : `--hostname ${host} `;
}
