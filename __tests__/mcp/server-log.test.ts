// The log of a server, and the words for what goes wrong with one.
import { expect, test } from '@jest/globals';
import { createScrub } from '../../src/mcp/describe-fault.ts';
import { parseMcpConfig } from '../../src/mcp/parse-config.ts';
import { createServerLog } from '../../src/mcp/server-log.ts';

test('a server’s lines are cut, on one line, under its name', () => {
  const lines: string[] = [];
  createServerLog((line) => lines.push(line), 'my\nserver')(`a\n::error::b${'x'.repeat(5_000_000)}`);
  expect(lines).toEqual([expect.stringMatching(/^\[mcp\] my server: a ::error::bx+…$/)]);
  expect(lines[0]?.length).toBeLessThan(350);
});

test('a server that logs without end falls silent, which is said once', () => {
  const lines: string[] = [];
  const log = createServerLog((line) => lines.push(line), 's');
  for (let count = 0; count < 1_000; count += 1) log(`line ${count}`);
  expect(lines).toHaveLength(201);
  expect(lines.slice(199)).toEqual(['[mcp] s: line 199', '[mcp] s: more than 200 lines; the rest is not logged']);
});

test('what a server was given in secret is taken out of a text, the longer secret first', () => {
  const headers = { Authorization: 'Bearer ${MCP_A}', 'X-Key': '${MCP_A}-and-more', 'X-Version': '2' };
  const [server] = parseMcpConfig({ s: { url: 'https://x/mcp?key=abcd', headers } }, 'f');
  if (server === undefined) throw new Error('unreachable');
  const redact = (text: string) => text.replaceAll('our-own', '###');
  const scrub = createScrub(server, { env: { MCP_A: 'tok-1' }, redact });
  expect(scrub('at https://x/mcp?key=abcd with Bearer tok-1, tok-1-and-more, tok-1, our-own, version 2')).toBe(
    'at https://x/mcp*** with ***, ***, ***, ###, version 2',
  );
});
