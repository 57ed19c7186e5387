// Names of tools: what every provider takes, one for each, the same in every run.
import { describe, expect, test } from '@jest/globals';
import { nameTools, type Owner, serverSegment } from '../../src/mcp/tool-names.ts';

const name = (server: string, tool: string): string => nameTools([{ server, tool }])[0] ?? '';

describe('the name of a tool', () => {
  test.each([
    ['s', 't', 'mcp__s__t'],
    ['my server', 'get.file/v2', 'mcp__my_server__get_file_v2'],
    ['a-b_c', 'X-y_9', 'mcp__a-b_c__X-y_9'],
    ['Issue-Tracker (検索)', 'é', 'mcp__Issue-Tracker___'],
    ['a__b', 'c', 'mcp__a_b__c'],
    ['_a_', '_c', 'mcp__a___c'],
  ])('of %j and %j is %s', (server, tool, expected) => {
    expect(name(server, tool)).toBe(expected);
  });

  test('has 64 characters at most; a longer one is cut and told apart from all others that begin so', () => {
    const exact = 'x'.repeat(64 - 'mcp__s__'.length);
    expect(name('s', exact)).toBe(`mcp__s__${exact}`);
    const names = ['a', 'b', 'c'].map((end) => name('s', `${exact}${end}`));
    expect(new Set(names).size).toBe(3);
    for (const each of names) expect(each).toMatch(/^mcp__s__x{47}_[0-9a-f]{8}$/);
    expect(name('s', `${exact}a`)).toBe(names[0]);
  });

  test('is never that of another one, even where servers and tools run into each other', () => {
    const owners: readonly Owner[] = [
      { server: 'a__b', tool: 'c' },
      { server: 'a', tool: 'b__c' },
      { server: 'a__b', tool: 'c!' },
      { server: 'a_', tool: 'b__c' },
    ];
    expect(new Set(nameTools(owners)).size).toBe(4);
  });

  test('begins as a rule for all tools of its server does, and as no rule for another one, whatever its tools are called', () => {
    const servers = ['a', 'a_', 'a__b', 'a_b', 'a-b', 'b', '_', 'a b', 'x'.repeat(32)];
    const tools = ['b__c', '__b__c', '_', '__', 'b', 'x'.repeat(90), '検索'];
    const owners = servers.flatMap((server) => tools.map((tool) => ({ server, tool })));
    for (const [index, each] of nameTools(owners).entries()) {
      const of = serverSegment(owners[index]?.server ?? '');
      const ruled = servers.map(serverSegment).filter((segment) => each.startsWith(`mcp__${segment}__`));
      expect([...new Set(ruled)]).toEqual([of]);
    }
  });

  test('is accepted, its own, and the same in every order, for whatever servers say', () => {
    const pieces = ['a', 'B', '_', '__', '-', '.', ' ', '/', 'é', '検', '\u{1F600}', '\ud83d', '', '0', 'x'.repeat(40)];
    let seed = 7;
    const pick = (count: number): string =>
      Array.from({ length: count }, () => {
        seed = (seed * 48_271) % 2_147_483_647;
        return pieces[seed % pieces.length] ?? '';
      }).join('');
    for (let round = 0; round < 200; round += 1) {
      const all = Array.from({ length: 30 }, (_, index) => ({
        server: pick(1 + (index % 2)) || 's',
        tool: pick(1 + (index % 3)) || 't',
      }));
      const owners = [...new Map(all.map((owner) => [JSON.stringify(owner), owner])).values()];
      const names = nameTools(owners);
      expect(new Set(names).size).toBe(owners.length);
      for (const each of names) expect(each).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
      expect(nameTools(owners.toReversed())).toEqual(names.toReversed());
    }
  });
});
