import { describe, expect, test } from '@jest/globals';
import { decideMeans } from '../../../src/github/event/decide-trust.ts';

const input = { mode: 'act', isPrivate: false, network: 'open', mayPropose: false } as const;

test.each(['trusted', 'mixed', 'untrusted'] as const)('a run that plans has reading alone on the trust %s', (trust) => {
  const widest = { mode: 'plan', isPrivate: false, network: 'open', mayPropose: true } as const;
  expect(decideMeans(trust, widest)).toEqual({ tools: 'read_only', bash: 'denied', network: 'off' });
});

describe('the means of an untrusted run', () => {
  test('are reading alone, however wide the network is set', () => {
    expect(decideMeans('untrusted', input)).toEqual({ tools: 'read_only', bash: 'denied', network: 'off' });
  });

  test('include editing files where a writer asks about a fork’s code, and never running them (decision 0007)', () => {
    expect(decideMeans('untrusted', { ...input, mayPropose: true })).toEqual({ tools: 'all', bash: 'denied', network: 'off' });
  });
});
