// What a log line may look like when everything in it comes from an attacker.
import { describe, expect, test } from '@jest/globals';
import { createLog, escapeForRunner } from '../../src/observe/log.ts';

function linesOf(mode: 'engine' | 'engine-stream', ...lines: string[]): string {
  let written = '';
  const log = createLog((text) => {
    written += text;
  }, mode);
  for (const line of lines) log(line);
  return written;
}

describe('createLog', () => {
  test('writes one prefixed line for each call', () => {
    expect(linesOf('engine', 'turn=3 tools=2 llm_ms=812 tools_ms=40 history=9')).toBe(
      '[engine] turn=3 tools=2 llm_ms=812 tools_ms=40 history=9\n',
    );
    expect(linesOf('engine-stream', 'turn=1', 'turn=2')).toBe('[engine-stream] turn=1\n[engine-stream] turn=2\n');
  });

  test('the text of the model has its own prefix and stays one line', () => {
    expect(linesOf('engine', '[assistant] Hello\nyou')).toBe('[assistant] Hello\\nyou\n');
  });

  test('D3 G5-15 no line that a runner would obey comes out, whatever goes in', () => {
    const attacks = [
      '::add-mask::e',
      '::set-output name=x::1',
      'tool=x\n::error file=a::b',
      '  ::warning::x',
      '\r::stop-commands::abc',
      'foo ##[add-path]/tmp/e',
      '[assistant] ::set-env name=A::b',
      '[assistant] ok\u2028##[error]x',
      ':::debug:::',
      '###[group]x',
      '##\u0000[error]',
      ':\u0007:error::x',
    ];
    for (const attack of attacks) {
      const line = linesOf('engine', attack);
      expect(line).toMatch(/^\[(engine|assistant)\] [^\n\r]*\n$/);
      expect(line).not.toMatch(/::|##\[/);
    }
  });
});

describe('escapeForRunner', () => {
  test('writes out what a terminal or a reader would act on and keeps the rest', () => {
    expect(escapeForRunner('a\tb\u001b[31m\u0085\u202e日本 é 🙂 \ud800')).toBe('a\\tb\\x1b[31m\\x85\\u202e日本 é 🙂 \\ud800');
    expect(escapeForRunner('a: b # [c] ## d')).toBe('a: b # [c] ## d');
    expect(escapeForRunner('std::vector<T>::value')).toBe('std: :vector<T>: :value');
  });

  test('is the same when it is done twice', () => {
    const once = escapeForRunner('::: ##[##[ \n');
    expect(escapeForRunner(once)).toBe(once);
  });
});
