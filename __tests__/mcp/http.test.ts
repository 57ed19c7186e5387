// Servers over HTTP: sessions, logins, streams, and everything that a connection can do to a call.
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type Asked, answerTo, kindOf, type Override, openEvents, sendJson, sendStatus, startHttpMcp } from './http-server.ts';
import { startScene } from './scene.ts';

const secret = 'tok-5f1b9c7e2a';
const env = { MCP_TOKEN: `${secret}\n`, MCP_OTHER: 'unused-value' };
const login = { Authorization: 'Bearer ${MCP_TOKEN}', 'X-Team': 'blue' };
const isCall = (asked: Asked): boolean => kindOf(asked) === 'POST tools/call';

describe('a server over HTTP', () => {
  test('is called in one session, with the headers in every request, and told when it ends', async () => {
    await using server = await startHttpMcp();
    const scene = await startScene({ s: { url: server.url, headers: login } }, { env });
    expect((await scene.call('mcp__s__echo', { a: 'é' })).text).toBe('{"a":"é"}');
    await scene.close();
    expect(server.asked.map(kindOf).sort()).toEqual([
      'DELETE',
      'GET',
      'POST initialize',
      'POST notifications/initialized',
      'POST tools/call',
      'POST tools/list',
    ]);
    for (const { headers } of server.asked) {
      expect(headers).toMatchObject({ authorization: `Bearer ${secret}`, 'x-team': 'blue' });
    }
    for (const { headers } of server.asked.filter((entry) => kindOf(entry) !== 'POST initialize')) {
      expect(headers).toMatchObject({ 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-06-18' });
    }
    await scene[Symbol.asyncDispose]();
  });

  test('may answer as events, in a stream that stays open, with others and empty ones before', async () => {
    await using server = await startHttpMcp((asked, response) => {
      if (asked.method === 'GET') openEvents(response)({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      if (!isCall(asked)) return asked.method === 'GET';
      const send = openEvents(response);
      response.write(': keep-alive\n\n');
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });
      send({ jsonrpc: '2.0', id: 'ask', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
      send(answerTo(asked, 'from a stream'));
      return true;
    });
    await using scene = await startScene({ s: { url: server.url } });
    expect((await scene.call('mcp__s__echo')).text).toBe('from a stream');
    expect((await scene.call('mcp__s__echo')).text).toBe('from a stream');
    const refusals = server.asked.filter(({ body }) => body !== undefined && 'error' in body);
    expect(refusals.map(({ body }) => body)).toContainEqual({
      jsonrpc: '2.0',
      id: 'ask',
      error: { code: -32601, message: 'Method not found' },
    });
    await scene.close();
  });

  test('that cannot be left in peace is left within the time, sessions or not', async () => {
    await using server = await startHttpMcp((asked) => asked.method === 'DELETE');
    await using scene = await startScene({ s: { url: server.url } });
    const waiting = scene.call('mcp__s__echo');
    await waiting;
    await scene.close();
    expect(server.of('DELETE')).toHaveLength(1);
    expect((await scene.call('mcp__s__echo')).text).toContain('it was closed');
  });

  test('is told of a call that is called off, which is answered at once', async () => {
    await using server = await startHttpMcp((asked) => isCall(asked));
    await using scene = await startScene({ s: { url: server.url } });
    const controller = new AbortController();
    const pending = scene.call('mcp__s__echo', {}, controller.signal);
    while (server.of('POST tools/call').length === 0) await delay(5);
    controller.abort();
    expect((await pending).text).toContain('cancelled');
    while (server.of('POST notifications/cancelled').length === 0) await delay(5);
    const [call, cancelled] = [server.of('POST tools/call')[0], server.of('POST notifications/cancelled')[0]];
    expect(cancelled?.body?.params?.requestId).toBe(call?.body?.id);
  });
});

describe('a session that the server does not know any more', () => {
  test.each([404, 400])('(HTTP %i) is a new one, and the call is made again', async (status) => {
    let isGone = false;
    await using server = await startHttpMcp((asked, response) => {
      const isOld = isGone && asked.headers['mcp-session-id'] === 'session-1';
      if (isOld) sendStatus(response, status, 'unknown session');
      return isOld;
    });
    await using scene = await startScene({ s: { url: server.url } });
    expect((await scene.call('mcp__s__echo', { n: 1 })).text).toBe('{"n":1}');
    isGone = true;
    const answers = await Promise.all([2, 3, 4].map((n) => scene.call('mcp__s__echo', { n })));
    expect(answers.map(({ text }) => text)).toEqual(['{"n":2}', '{"n":3}', '{"n":4}']);
    expect(server.of('POST initialize')).toHaveLength(2);
    expect(server.of('POST tools/list')).toHaveLength(1);
  });

  test('for the second time is told, and not tried for ever', async () => {
    await using server = await startHttpMcp();
    await using scene = await startScene({ s: { url: server.url } });
    server.forget();
    expect((await scene.call('mcp__s__echo')).isError).toBe(false);
    server.forget();
    for (let count = 0; count < 3; count += 1) {
      expect(await scene.call('mcp__s__echo')).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^mcp__s__echo: HTTP 404 /),
      });
    }
    expect(server.of('POST initialize')).toHaveLength(2);
  });

  test('is none where the server never had sessions: 404 is an answer', async () => {
    await using server = await startHttpMcp((asked, response) => {
      if (asked.method !== 'POST') return false;
      if (isCall(asked)) sendStatus(response, 404, 'no such route');
      else if (asked.body?.id === undefined) sendStatus(response, 202);
      else if (asked.body.method === 'tools/list')
        sendJson(response, { jsonrpc: '2.0', id: asked.body.id, result: { tools: [{ name: 'echo', inputSchema: {} }] } });
      else
        sendJson(response, {
          jsonrpc: '2.0',
          id: asked.body.id,
          result: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '0' } },
        });
      return true;
    });
    await using scene = await startScene({ s: { url: server.url } });
    expect((await scene.call('mcp__s__echo')).text).toMatch(/^mcp__s__echo: HTTP 404 .*no such route$/);
    expect(server.of('POST initialize')).toHaveLength(1);
    expect(server.of('DELETE')).toHaveLength(0);
  });
});

describe('a refusal that is none of a session (HTTP 400)', () => {
  test('is told, call by call, and costs neither other calls nor the server', async () => {
    let release = () => {};
    await using server = await startHttpMcp((asked, response) => {
      if (!isCall(asked)) return false;
      const { kind } = asked.body?.params?.arguments ?? {};
      if (kind === 'bad') sendStatus(response, 400, 'no such repository');
      if (kind === 'slow') release = () => sendJson(response, answerTo(asked, 'slowly'));
      return kind !== undefined;
    });
    await using scene = await startScene({ s: { url: server.url } });
    const slow = scene.call('mcp__s__echo', { kind: 'slow' });
    while (server.of('POST tools/call').length === 0) await delay(5);
    for (let count = 0; count < 3; count += 1) {
      expect((await scene.call('mcp__s__echo', { kind: 'bad' })).text).toMatch(/^mcp__s__echo: HTTP 400: .*no such repository$/);
    }
    release();
    expect((await slow).text).toBe('slowly');
    expect((await scene.call('mcp__s__echo')).text).toBe('{}');
    expect(server.of('POST initialize')).toHaveLength(2);
  });
});

describe('a server over HTTP that does not start', () => {
  test.each([
    [401, /HTTP 401 \(it wants another login: look at its `headers`\): .*said 401/],
    [403, /HTTP 403 /],
    [404, /HTTP 404 \(there is nothing: look at its `url`\)/],
    [405, /HTTP 405 /],
    [500, /HTTP 500: .*said 500/],
  ])('since it answers %i is told with where it is, without what is secret', async (status, why) => {
    await using server = await startHttpMcp((asked, response) => {
      sendStatus(response, status, `said ${status} to ${asked.headers.authorization} for ${asked.url}`);
      return true;
    });
    await using scene = await startScene({ s: { url: `${server.url}?apikey=geheim-77`, headers: login } }, { env });
    expect(scene.notices).toEqual([expect.stringMatching(why)]);
    const told = [...scene.notices, ...scene.log].join('\n');
    expect(told).toContain(`MCP server "s" (${new URL(server.url).origin}) is not there`);
    expect(told).not.toMatch(new RegExp(`${secret}|geheim-77`));
  });

  test('since nobody listens is told', async () => {
    const server = await startHttpMcp();
    await server[Symbol.asyncDispose]();
    await using scene = await startScene({ s: { url: server.url, headers: login } }, { env });
    expect(scene.notices).toEqual([expect.stringMatching(/is not there: fetch failed \(ECONNREFUSED: .*\)$/)]);
  });

  test('since it answers a web page, or nothing, is told', async () => {
    await using page = await startHttpMcp((_asked, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>');
      return true;
    });
    await using silent = await startHttpMcp(() => true);
    await using scene = await startScene({ page: { url: page.url }, silent: { url: silent.url, startup_timeout_secs: 0.4 } });
    expect(scene.notices).toEqual([
      expect.stringMatching(/"page" .* is not there: .*Unexpected content type: text\/html/),
      expect.stringMatching(/"silent" .* is not there: it was not ready within 0\.4 s$/),
    ]);
  });

  test.each([301, 302, 303, 307, 308])(
    'since it redirects (%i) to another host is told, and no header goes there',
    async (status) => {
      await using other = await startHttpMcp();
      await using server = await startHttpMcp((_asked, response) => {
        sendStatus(response, status, '', { location: `${other.url}?token=abcdef` });
        return true;
      });
      await using scene = await startScene({ s: { url: server.url, headers: login } }, { env });
      expect(scene.notices).toEqual([expect.stringContaining(`Redirect to ${other.url} not followed`)]);
      expect(other.asked).toEqual([]);
    },
  );

  test('for lack of a variable ends the start before anything is asked, naming it', async () => {
    await using server = await startHttpMcp();
    const start = (mine: Readonly<Record<string, string>>) =>
      startScene({ s: { url: server.url, headers: login } }, { env: mine });
    for (const mine of [{}, { MCP_TOKEN: ' \n' }]) {
      await expect(start(mine)).rejects.toMatchObject({
        code: 'MCP_CONFIG',
        message: expect.stringContaining('MCP_TOKEN is not set'),
      });
    }
    await expect(start({ MCP_TOKEN: 'a\nb-geheim' })).rejects.toMatchObject({
      message: expect.stringMatching(
        /^the environment variable MCP_TOKEN has characters that no header can have; the MCP server "s" needs it$/,
      ),
    });
    expect(server.asked).toEqual([]);
  });
});

describe('redirects', () => {
  test('within the server are followed', async () => {
    await using server = await startHttpMcp((asked, response) => {
      const isBare = asked.url === '/mcp';
      if (isBare) sendStatus(response, 307, '', { location: '/mcp/' });
      return isBare;
    });
    await using scene = await startScene({ s: { url: server.url, headers: login } }, { env });
    expect((await scene.call('mcp__s__echo', { a: 1 })).text).toBe('{"a":1}');
  });

  test.each(['POST tools/call', 'GET', 'DELETE'])('of %s to another host carry nothing there', async (kind) => {
    await using other = await startHttpMcp();
    await using server = await startHttpMcp((asked, response) => {
      if (kindOf(asked) === kind) sendStatus(response, 307, '', { location: other.url });
      return kindOf(asked) === kind;
    });
    const scene = await startScene({ s: { url: server.url, headers: login } }, { env });
    const { isError } = await scene.call('mcp__s__echo');
    expect(isError).toBe(kind === 'POST tools/call');
    await scene[Symbol.asyncDispose]();
    expect(server.of(kind).length).toBeGreaterThanOrEqual(1);
    expect(other.asked).toEqual([]);
  });
});

describe('a connection that breaks in a call', () => {
  /** A stream that is over before the answer came, and says where it can be taken up again. */
  function cutAfterEvent(response: ServerResponse): void {
    openEvents(response)(undefined, 'e1');
    response.write('retry: 50\n\n');
    response.end();
  }

  /** Calls are answered with `text`, as a document or as an event. */
  function answering(type: string, text: string): Override {
    return (asked, response) => {
      if (!isCall(asked)) return false;
      response.writeHead(200, { 'content-type': type });
      const message = JSON.stringify(answerTo(asked, text));
      response.end(type === 'application/json' ? message : `data: ${message}\n\n`);
      return true;
    };
  }

  test.each([
    ['before the answer begins', (_asked: Asked, response: ServerResponse) => response.socket?.destroy()],
    [
      'in a document',
      (_asked: Asked, response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"jsonrpc"', () => response.socket?.destroy());
      },
    ],
    [
      'in a stream',
      (_asked: Asked, response: ServerResponse) => {
        openEvents(response)({ jsonrpc: '2.0', method: 'notifications/unheard_of' });
        setTimeout(() => response.socket?.destroy(), 20);
      },
    ],
    [
      'by the end of a stream',
      (_asked: Asked, response: ServerResponse) => {
        openEvents(response);
        response.end();
      },
    ],
  ])('%s is told, and the next call goes on', async (_name, cut) => {
    let calls = 0;
    await using server = await startHttpMcp((asked, response) => {
      if (!isCall(asked)) return false;
      calls += 1;
      if (calls === 1) cut(asked, response);
      return calls === 1;
    });
    await using scene = await startScene({ s: { url: server.url } });
    expect(await scene.call('mcp__s__echo')).toMatchObject({ isError: true, text: expect.stringMatching(/^mcp__s__echo: ./) });
    expect((await scene.call('mcp__s__echo', { a: 1 })).text).toBe('{"a":1}');
    expect(server.of('POST initialize')).toHaveLength(1);
  });

  test('is taken up again where the server can', async () => {
    await using server = await startHttpMcp((asked, response) => {
      if (asked.method === 'GET' && asked.headers['last-event-id'] === 'e1') {
        const id = server.of('POST tools/call')[0]?.body?.id;
        openEvents(response)({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'resumed' }] } }, 'e2');
        return true;
      }
      if (!isCall(asked)) return false;
      cutAfterEvent(response);
      return true;
    });
    await using scene = await startScene({ s: { url: server.url } });
    expect(await scene.call('mcp__s__echo')).toMatchObject({ isError: false, text: 'resumed' });
  });

  test('and cannot be taken up again is told', async () => {
    await using server = await startHttpMcp((asked, response) => {
      if (asked.method === 'GET' && asked.headers['last-event-id'] === 'e1') {
        sendStatus(response, 500);
        return true;
      }
      if (!isCall(asked)) return false;
      cutAfterEvent(response);
      return true;
    });
    await using scene = await startScene({ s: { url: server.url } });
    expect((await scene.call('mcp__s__echo')).text).toContain('could not be taken up again');
    expect(server.asked.filter(({ headers }) => headers['last-event-id'] === 'e1')).toHaveLength(2);
  });

  test.each(['application/json', 'text/event-stream'])('since its answer (%s) has more than 16 MB is told', async (type) => {
    await using server = await startHttpMcp(answering(type, 'x'.repeat(17 * 1024 * 1024)));
    await using scene = await startScene({ s: { url: server.url } });
    expect((await scene.call('mcp__s__echo')).text).toContain('the server sent an answer of more than 16 MB');
  });

  test.each(['application/json', 'text/event-stream'])('is none in an answer (%s) of 5 MB', async (type) => {
    await using server = await startHttpMcp(answering(type, `<${'x'.repeat(5 * 1024 * 1024)}>`));
    await using scene = await startScene({ s: { url: server.url } });
    expect((await scene.call('mcp__s__echo')).text).toMatch(/^<x+\n\[… \d+ bytes omitted …\]\nx+>$/);
  });
});
