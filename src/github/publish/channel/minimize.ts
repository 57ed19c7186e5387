// Collapsing a comment, whose text stays behind a click; GraphQL alone does it, for every kind of comment alike.
import type { GitHubApi } from '../../api.ts';
import type { ChannelComment } from './port.ts';

const minimizeCommentMutation = `mutation MinimizeComment($id: ID!, $classifier: ReportedContentClassifiers!) {
  minimizeComment(input: { subjectId: $id, classifier: $classifier }) { minimizedComment { isMinimized } }
}`;

/** Collapses as outdated. Rejects with a GitHubApiError where the token may not. */
export async function minimize({ nodeId }: Pick<ChannelComment, 'nodeId'>, api: GitHubApi, signal: AbortSignal): Promise<void> {
  await api.graphql(minimizeCommentMutation, { id: nodeId, classifier: 'OUTDATED' }, signal);
}
