import { describe, expect, test } from '@jest/globals';
import { renderJson, renderText } from '../../src/cli/harmless.ts';
import { createRedactor } from '../../src/redact/redactor.ts';

const asItIs = (text: string) => text;
const onScreen = { env: {}, redact: asItIs };
const onRunner = { env: { GITHUB_ACTIONS: 'true' }, redact: asItIs };
const commands = 'Use std::vector.\n::error::owned\n  ::add-mask::x\n\r::stop-commands::y\nsee ##[error]y ###[group]:::';

/** Whether a runner would read a command in any line of `text`. */
const holdsCommand = (text: string) => text.split(/\r\n?|\n/).some((line) => /^\s*::/.test(line) || line.includes('##['));

describe('text', () => {
  test('is as it is in a terminal', () => {
    const message = 'Use std::vector.\n\t::error::owned\nsee ##[error]y · 日本 👩‍💻 é';
    expect(renderText(message, onScreen)).toBe(message);
  });

  test('in Arabic or Hebrew keeps the marks of its prose', () => {
    const message = 'שלום\u200f! (C++\u200e) — \u061cمرحبا';
    expect(renderText(message, onRunner)).toBe(message);
  });

  test('cannot steer the screen', () => {
    expect(renderText('a\x1b[2Jb\x07\x9b31m\x00c\rd\r\ne\u202ef', onScreen)).toBe('a\\x1b[2Jb\\x07\\x9b31m\\x00c\nd\ne\\u202ef');
  });

  test('holds no command where a runner reads along (D3)', () => {
    expect(renderText(commands, onRunner)).toBe(
      'Use std::vector.\n: :error::owned\n  : :add-mask::x\n\n: :stop-commands::y\nsee # #[error]y ## #[group]:::',
    );
    expect(holdsCommand(renderText(commands, onRunner))).toBe(false);
  });

  test('is redacted before it is cut to pieces', () => {
    const { outward } = createRedactor(['secret::##[key]-0123456789']);
    expect(renderText('it is secret::##[key]-0123456789', { ...onRunner, redact: outward })).toBe('it is ***');
  });
});

describe('JSON', () => {
  const value = {
    text: commands,
    deep: [{ '::key': '##[x]' }, null, 1, true],
    controls: '\x1b\x9b\u2028\ud800',
    none: undefined,
  };

  test.each([
    ['a terminal', onScreen],
    ['a runner', onRunner],
  ])('for %s is one line, and the same value to whoever parses it (D3)', (_name, outward) => {
    const line = renderJson(value, outward);
    expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
    expect(line).toMatch(/^[^\p{Cc}\u2028\u2029]*$/u);
  });

  test('holds neither of the tokens where a runner reads along (D3)', () => {
    expect(renderJson(value, onRunner)).not.toMatch(/##\[|::/);
    expect(renderJson({ a: '##[', b: '\\##[', c: '::' }, onRunner)).toBe(
      '{"a":"\\u0023\\u0023[","b":"\\\\\\u0023\\u0023[","c":"\\u003a:"}',
    );
  });

  test('is redacted in every text, but a picture is left as it is', () => {
    const { outward } = createRedactor(['key-0123456789']);
    const picture = { type: 'image', mediaType: 'image/png', data: 'key-0123456789' };
    expect(renderJson({ a: ['x key-0123456789 "y"'], picture }, { ...onScreen, redact: outward })).toBe(
      JSON.stringify({ a: ['x *** "y"'], picture }),
    );
  });
});
