// Operations with much selected, for the tests of the simulated GraphQL API. The product's own are found by schema.test.ts.

const COMMENT = 'id databaseId body createdAt updatedAt lastEditedAt isMinimized minimizedReason authorAssociation url';
const AUTHOR = 'author { __typename login url ... on User { databaseId } ... on Bot { databaseId } }';
const THREAD = `id number title body url ${AUTHOR} createdAt updatedAt lastEditedAt locked closed`;
const PAGE = 'totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

export const QUERIES = {
  Viewer: 'query Viewer { viewer { login databaseId } }',
  ThreadEdit: `query ThreadEdit($owner: String!, $name: String!, $number: Int!) {
    repository(owner: $owner, name: $name) {
      id databaseId nameWithOwner owner { login }
      issueOrPullRequest(number: $number) { __typename ... on Issue { ${THREAD} } ... on PullRequest { ${THREAD} } }
    } }`,
  ReviewThreads: `query ReviewThreads($owner: String!, $name: String!, $number: Int!, $after: String) {
    repository(owner: $owner, name: $name) { pullRequest(number: $number) {
      reviewThreads(first: 2, after: $after) { ${PAGE} nodes {
        id isResolved isOutdated isCollapsed path line originalLine startLine originalStartLine diffSide subjectType resolvedBy { login }
        comments(first: 100) { ${PAGE} nodes { ${COMMENT} ${AUTHOR} path line originalLine outdated diffHunk replyTo { id databaseId } } }
      } }
    } } }`,
  ReviewEdits: `query ReviewEdits($owner: String!, $name: String!, $number: Int!) {
    repository(owner: $owner, name: $name) { pullRequest(number: $number) {
      reviews(last: 1) { ${PAGE} nodes { id databaseId body state createdAt submittedAt lastEditedAt url ${AUTHOR} } }
    } } }`,
  ResolveReviewThread:
    'mutation ResolveReviewThread($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { id isResolved resolvedBy { login } } } }',
  MinimizeComment: `mutation MinimizeComment($id: ID!, $classifier: ReportedContentClassifiers!) {
    minimizeComment(input: { subjectId: $id, classifier: $classifier }) { minimizedComment { isMinimized minimizedReason } } }`,
  AddReaction: `mutation AddReaction($id: ID!, $content: ReactionContent!) {
    addReaction(input: { subjectId: $id, content: $content }) { reaction { databaseId content user { login } } subject { id } } }`,
  BodyHtml: `query BodyHtml($id: ID!) { node(id: $id) { __typename
    ... on Discussion { bodyHTML } ... on DiscussionComment { bodyHTML } ... on PullRequestReview { bodyHTML } } }`,
  Discussion: `query Discussion($owner: String!, $name: String!, $number: Int!) {
    repository(owner: $owner, name: $name) { discussion(number: $number) {
      id databaseId number title body url ${AUTHOR} authorAssociation createdAt updatedAt lastEditedAt locked closed
      category { id name slug isAnswerable }
    } } }`,
  DiscussionComments: `query DiscussionComments($owner: String!, $name: String!, $number: Int!, $after: String) {
    repository(owner: $owner, name: $name) { discussion(number: $number) {
      comments(first: 2, after: $after) { ${PAGE} nodes {
        ${COMMENT} ${AUTHOR} isAnswer
        replies(first: 100) { ${PAGE} nodes { ${COMMENT} ${AUTHOR} replyTo { id databaseId } } }
      } }
    } } }`,
  AddDiscussionComment: `mutation AddDiscussionComment($discussionId: ID!, $replyToId: ID, $body: String!) {
    addDiscussionComment(input: { discussionId: $discussionId, replyToId: $replyToId, body: $body }) { comment { ${COMMENT} ${AUTHOR} } } }`,
  UpdateDiscussionComment: `mutation UpdateDiscussionComment($id: ID!, $body: String!) {
    updateDiscussionComment(input: { commentId: $id, body: $body }) { comment { ${COMMENT} } } }`,
  DeleteDiscussionComment:
    'mutation DeleteDiscussionComment($id: ID!) { deleteDiscussionComment(input: { id: $id }) { comment { id databaseId } } }',
  ClosingIssues: `query ClosingIssues($owner: String!, $name: String!, $number: Int!) {
    repository(owner: $owner, name: $name) { pullRequest(number: $number) {
      closingIssuesReferences(first: 10) { ${PAGE} nodes { ${THREAD} repository { nameWithOwner } } }
    } } }`,
  ReplaceRef: `mutation ReplaceRef($repositoryId: ID!, $name: GitRefname!, $beforeOid: GitObjectID!, $afterOid: GitObjectID!) {
    updateRefs(input: { repositoryId: $repositoryId, refUpdates: [{ name: $name, beforeOid: $beforeOid, afterOid: $afterOid, force: true }] }) {
      clientMutationId
    } }`,
  MergeState: `query MergeState($owner: String!, $name: String!, $number: Int!) {
    repository(owner: $owner, name: $name) { pullRequest(number: $number) { mergeable isDraft baseRefName baseRefOid headRefName headRefOid } } }`,
} as const;
