import { describe, expect, test } from '@jest/globals';
import { decideMeans } from '../../../src/github/event/decide-trust.ts';

const input = { isPrivate: false, network: 'open', mayPropose: false } as const;

describe('the means of an untrusted run', () => {
  test('are reading alone, however wide the network is set', () => {
    expect(decideMeans('untrusted', input)).toEqual({ tools: 'read_only', bash: 'denied', network: 'off' });
  });

  test('include editing files where a writer asks about a fork’s code, and never running them (decision 0007)', () => {
    expect(decideMeans('untrusted', { ...input, mayPropose: true })).toEqual({ tools: 'all', bash: 'denied', network: 'off' });
  });
});
