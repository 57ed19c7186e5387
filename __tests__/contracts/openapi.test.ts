import { describe, expect, test } from '@jest/globals';
import { checkExchange } from './openapi.ts';

const artifact = {
  id: 1,
  node_id: 'n',
  name: 'a',
  size_in_bytes: 1,
  url: 'u',
  archive_download_url: 'u',
  expired: false,
  created_at: null,
  expires_at: null,
  updated_at: '2026-01-01T00:00:00Z',
};
const listing = {
  method: 'GET',
  path: '/repos/o/r/actions/artifacts',
  query: { name: 'a', per_page: '100' },
  requestBody: undefined,
  status: 200,
  responseBody: { total_count: 1, artifacts: [artifact] },
};

describe('the contract check', () => {
  test('finds nothing wrong with an exchange as GitHub describes it', () => {
    expect(checkExchange(listing)).toEqual([]);
    const ref = {
      method: 'GET',
      path: '/repos/o/r/git/ref/heads/a/b',
      query: {},
      requestBody: undefined,
      status: 404,
      responseBody: undefined,
    };
    expect(checkExchange(ref)).toEqual([]);
  });

  test('names a wrong answer, a wrong request and an unknown route', () => {
    expect(checkExchange({ ...listing, responseBody: { total_count: '1', artifacts: [] } })).toEqual([
      'GET /repos/{owner}/{repo}/actions/artifacts: answer 200 /total_count must be integer {"type":"integer"}',
    ]);
    expect(
      checkExchange({ ...listing, responseBody: { total_count: 1, artifacts: [{ ...artifact, name: undefined }] } }),
    ).toHaveLength(1);
    expect(checkExchange({ ...listing, query: { per_page: 'many', nmae: 'a' } })).toHaveLength(2);
    expect(checkExchange({ ...listing, status: 201 })).toEqual([
      'GET /repos/{owner}/{repo}/actions/artifacts: status 201 is not described',
    ]);
    expect(checkExchange({ ...listing, path: '/repos/o/r/nothing' })).toHaveLength(1);
    const comment = { method: 'POST', path: '/repos/o/r/issues/1/comments', query: {}, status: 422, responseBody: undefined };
    expect(checkExchange({ ...comment, requestBody: { text: 'x' } })).toEqual([
      expect.stringContaining("request / must have required property 'body'"),
    ]);
    expect(checkExchange({ ...comment, requestBody: undefined })).toEqual([expect.stringContaining('request body is missing')]);
    expect(checkExchange({ ...comment, requestBody: { body: 'x' } })).toEqual([]);
  });
});
