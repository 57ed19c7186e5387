// Speaking by a review of a pull request: the reply is the review itself, with its findings on their lines; everything else goes where it went.
import type { ReviewComment } from '../../../schema/bundle.ts';
import type { RunPlan } from '../../../schema/gate.ts';
import { GitHubApiError, isRefusal, type Parameters } from '../../api.ts';
import { parseMarker } from '../../marker.ts';
import { loadDiffIndex } from '../../review/load-diff-index.ts';
import { boundMarkdown, maxBodyChars } from '../bound-markdown.ts';
import { joinBlocks } from '../join-blocks.ts';
import type { ReviewDraft } from '../review/plan-review.ts';
import { fingerprintOf, renderInline, renderInText } from '../review/render-finding.ts';
import { allOf, type Place, type RestComment, toComment } from './place.ts';
import type { Channel, ChannelComment, CommentId } from './port.ts';

const createRoute = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
type Posted = Parameters<typeof createRoute>;

export interface ReviewPlace extends Place {
  readonly plan: RunPlan;
  readonly pull: number;
  /** null: there is nothing to post as a review; an earlier one of the same trigger is still known. */
  readonly review: ReviewDraft | null;
}

/** `base`: where the progress is shown, and the reply if GitHub takes no review. */
export function openReview(base: Channel, place: ReviewPlace): Channel {
  const { api, repository, egress, plan, pull, review } = place;
  const at = { ...repository, pull_number: pull };

  const isReply = (body: string) => parseMarker(body)?.kind === base.replyKind;

  async function list(since: string | null, signal: AbortSignal): Promise<readonly ChannelComment[]> {
    const pages = api.pages('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', at, signal);
    const [comments, reviews] = await Promise.all([base.list(since, signal), allOf(pages)]);
    return [...comments, ...reviews.map(toReview)];
  }

  async function post(body: string, draft: Sent, signal: AbortSignal): Promise<ChannelComment> {
    const { data } = await api.rest(createRoute, { ...at, ...toPosted({ plan, body, draft, egress }) }, signal);
    return toReview(data);
  }

  /** GitHub refuses a review as a whole and does not say for which of its comments: each way leaves out more of what it may mind. */
  async function* waysOf(draft: ReviewDraft, signal: AbortSignal): AsyncGenerator<Sent> {
    yield { ...draft, note: '' };
    // Its author may not judge a pull request, and not every token may.
    const note =
      draft.event === 'COMMENT' ? '' : 'GitHub takes no verdict on this pull request from this token, so there is none.';
    if (note !== '') yield { ...draft, event: 'COMMENT', note };
    if (draft.inline.length === 0) return;
    const index = await loadDiffIndex(pull, { api, repository }, signal);
    const isThere = ({ path, side, line, startLine }: ReviewComment) => {
      const lines = side === 'LEFT' ? index.get(path)?.left : index.get(path)?.right;
      return lines?.has(line) === true && (startLine === null || lines.has(startLine));
    };
    const inline = draft.inline.filter(isThere);
    const refused = draft.inline.filter((comment) => !isThere(comment));
    if (inline.length > 0 && refused.length > 0)
      yield { ...draft, event: 'COMMENT', inline, inText: [...draft.inText, ...refused], note };
    yield { ...draft, event: 'COMMENT', inline: [], inText: [...draft.inText, ...draft.inline], note };
  }

  async function postSomehow(body: string, draft: ReviewDraft, signal: AbortSignal): Promise<ChannelComment> {
    for await (const way of waysOf(draft, signal)) {
      try {
        return await post(body, way, signal);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        // Anything but a place or a verdict would be refused in every way.
        if (!(error instanceof GitHubApiError && error.status === 422)) break;
      }
    }
    return base.create(allInText(plan, body, draft), signal);
  }

  return {
    replyKind: base.replyKind,
    list,
    create: (body, signal) => {
      return isReply(body) && review !== null ? postSomehow(body, review, signal) : base.create(body, signal);
    },
    async change(id, body, signal, isOnce) {
      const reviewId = reviewIdOf(id);
      const draft = isReply(body) ? review : null;
      if (reviewId === null) return base.change(id, draft === null ? body : allInText(plan, body, draft), signal, isOnce);
      const text = draft === null ? body : withText(plan, body, await withMissing(draft, reviewId, place, signal));
      const parameters = { ...at, review_id: reviewId, body: egress(text) };
      const { data } = await api.rest('PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}', parameters, signal);
      return toReview(data);
    },
    /** A review that was submitted is there for good. */
    remove: async (id, signal) => {
      if (reviewIdOf(id) === null) await base.remove(id, signal);
    },
  };
}

/** One way to post a review. */
interface Sent extends ReviewDraft {
  readonly note: string;
}

interface Writing extends Pick<ReviewPlace, 'plan' | 'egress'> {
  readonly body: string;
  readonly draft: Sent;
}

function toPosted({ plan, body, draft, egress }: Writing): Omit<Posted, 'owner' | 'repo' | 'pull_number'> {
  return {
    commit_id: draft.commitSha,
    event: draft.event,
    body: egress(withText(plan, body, draft)),
    comments: draft.inline.map((comment) => ({
      path: comment.path,
      side: comment.side,
      line: comment.line,
      ...(comment.startLine === null ? {} : { start_line: comment.startLine, start_side: comment.side }),
      body: renderInline(plan, comment, egress),
    })),
  };
}

function withText(plan: RunPlan, body: string, { inText, note }: Sent): string {
  return boundMarkdown(
    joinBlocks([body, note, renderInText(plan, 'Findings that have no place on a line', inText)]),
    maxBodyChars,
  );
}

/** Of what an earlier try posted, a part may have no place on its line: that is in the text. */
async function withMissing(draft: ReviewDraft, reviewId: number, place: ReviewPlace, signal: AbortSignal): Promise<Sent> {
  const { api, repository, pull } = place;
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments';
  const posted = await allOf(api.pages(route, { ...repository, pull_number: pull, review_id: reviewId }, signal));
  const there = new Set(posted.map((comment) => parseMarker(comment.body)?.says));
  const missing = draft.inline.filter((comment) => !there.has(fingerprintOf(comment)));
  return { ...draft, inText: [...draft.inText, ...missing], note: '' };
}

/** Where no review can be had. */
function allInText(plan: RunPlan, body: string, draft: ReviewDraft): string {
  return withText(plan, body, { ...draft, inText: [...draft.inText, ...draft.inline], note: '' });
}

const prefix = 'review-';

function toReview(review: RestComment): ChannelComment {
  return { ...toComment(review), id: `${prefix}${review.id}` };
}

function reviewIdOf(id: CommentId): number | null {
  return typeof id === 'string' && id.startsWith(prefix) ? Number(id.slice(prefix.length)) : null;
}
