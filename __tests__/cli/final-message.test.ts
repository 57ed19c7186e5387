import { describe, expect, test } from '@jest/globals';
import { renderFinalMessage } from '../../src/cli/final-message.ts';

describe('the final message on stdout', () => {
  const message = 'Use std::vector.\n::error::owned\n  ::add-mask::x\nsee ##[error]y';

  test('is as it is in a terminal', () => {
    expect(renderFinalMessage(message, {})).toBe(message);
  });

  test('holds no command where a runner reads along (D3)', () => {
    expect(renderFinalMessage(message, { GITHUB_ACTIONS: 'true' })).toBe(
      'Use std::vector.\n: :error::owned\n  : :add-mask::x\nsee # #[error]y',
    );
  });
});
