// What a log line may look like when everything in it comes from an attacker.
import { describe, expect, test } from '@jest/globals';
import { createLog, escapeForRunner } from '../../src/observe/log.ts';

function linesOf(...lines: string[]): string {
  let written = '';
  const log = createLog((text) => {
    written += text;
  });
  for (const line of lines) log(line);
  return written;
}

describe('createLog', () => {
  test('[spec 6.2 [engine]] [spec 6.2 [engine-stream]] writes one line for each call, and leaves the name of the writer as it is', () => {
    const line = '[engine] turn=3 tools=2 llm_ms=812 tools_ms=40 history=9';
    expect(linesOf(line)).toBe(`${line}\n`);
    expect(linesOf('[engine-stream] turn=1', '[context] items=2')).toBe('[engine-stream] turn=1\n[context] items=2\n');
  });

  test('[spec 6.2 [assistant]] the text of the model stays one line', () => {
    expect(linesOf('[assistant] Hello\nyou')).toBe('[assistant] Hello\\nyou\n');
  });

  test('only a plain name counts as one', () => {
    expect(linesOf('[::x] a', '##[error] b', '[a\nb] c', '[] d')).toBe('[: :x] a\n# #[error] b\n[a\\nb] c\n[] d\n');
  });

  test('D3 G5-15 no line that a runner would obey comes out, whatever goes in', () => {
    const attacks = [
      '::add-mask::e',
      '::set-output name=x::1',
      'tool=x\n::error file=a::b',
      '  ::warning::x',
      '\r::stop-commands::abc',
      'foo ##[add-path]/tmp/e',
      '[engine] ::set-env name=A::b',
      '[assistant] ::set-env name=A::b',
      '[assistant] ok\u2028##[error]x',
      ':::debug:::',
      '###[group]x',
      '##\u0000[error]',
      ':\u0007:error::x',
    ];
    for (const attack of attacks) {
      const line = linesOf(attack);
      expect(line).toMatch(/^[^\n\r]*\n$/);
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
