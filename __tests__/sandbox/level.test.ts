import { describe, expect, test } from '@jest/globals';
import { decideLevel, probeSandbox } from '../../src/sandbox/level.ts';

const withSetpriv = { setprivPath: '/usr/bin/setpriv' };
const without = { setprivPath: null };
const process_ = { level: 'process', launcher: ['/usr/bin/setpriv', '--no-new-privs', '--'], notice: null };

describe('decideLevel', () => {
  test('auto takes process, and says so when it has to take less', () => {
    expect(decideLevel('auto', withSetpriv)).toEqual(process_);
    expect(decideLevel('auto', without)).toEqual({
      level: 'readonly',
      launcher: [],
      notice: 'setpriv is not available here: commands cannot be run, only files read and written.',
    });
  });

  test('what is asked for by name is given or refused, never weakened', () => {
    expect(decideLevel('process', withSetpriv)).toEqual(process_);
    expect(decideLevel('readonly', withSetpriv)).toEqual({ level: 'readonly', launcher: [], notice: null });
    expect(() => decideLevel('process', without)).toThrow(expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE' }));
  });

  test('none comes only when it is written out, with a warning', () => {
    expect(decideLevel('none', withSetpriv)).toEqual({
      level: 'none',
      launcher: [],
      notice: 'The sandbox is none, as was asked for: commands run with all rights of whoever started harness9.',
    });
  });

  test.each(['bubblewrap', 'namespace'] as const)('%s is refused with the name of the input, since it is not built', (level) => {
    expect(() => decideLevel(level, withSetpriv)).toThrow(
      expect.objectContaining({
        message: `sandbox "${level}" cannot be had here: this level is not built yet`,
        hint: 'Let sandbox be auto, process or readonly.',
      }),
    );
  });

  test('the probe finds a setpriv that works here', async () => {
    expect(await probeSandbox()).toEqual({ setprivPath: '/usr/bin/setpriv' });
  });
});
