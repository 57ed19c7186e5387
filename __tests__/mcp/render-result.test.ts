// What a server answers, as the model gets it.
import { describe, expect, test } from '@jest/globals';
import { type Rendered, renderResult } from '../../src/mcp/render-result.ts';
import { textOf } from '../../src/schema/message.ts';

const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(40, 1)]).toString('base64');
const jpeg = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(40, 2)]).toString('base64');
const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(42)]).toString('base64');
const webp = Buffer.concat([Buffer.from('RIFF0000WEBPVP8 '), Buffer.alloc(32)]).toString('base64');

const text = (told: string) => ({ type: 'text', text: told });
const image = (data: string, mimeType: unknown = 'image/png') => ({ type: 'image', data, mimeType });
const says = (told: string): Rendered => ({ output: [{ type: 'text', text: told }], isError: false });
const render = (...content: readonly unknown[]) => renderResult({ content });

describe('a result', () => {
  test('of texts is one text, a line each', () => {
    expect(render(text('a'), text(''), text('b\n'), text('c'))).toEqual(says('a\n\nb\n\nc'));
  });

  test.each([{}, { content: [] }, { content: [text('')] }, { content: [text(' \n')] }, { content: 'x' }, { content: null }])(
    'of nothing (%j) says so',
    (result) => expect(renderResult(result)).toEqual(says('(no output)')),
  );

  test('that failed is an error', () => {
    expect(renderResult({ content: [text('x')], isError: true })).toEqual({ ...says('x'), isError: true });
    expect(renderResult({ isError: true })).toEqual({ ...says('(no output)'), isError: true });
    expect(renderResult({ content: [text('x')], isError: 'yes' })).toEqual(says('x'));
  });

  test('with structured content shows it only where no text says it', () => {
    const structuredContent = { a: [1] };
    expect(renderResult({ structuredContent })).toEqual(says('{"a":[1]}'));
    expect(renderResult({ structuredContent, content: [text(' ')] })).toEqual(says(' \n{"a":[1]}'));
    expect(renderResult({ structuredContent, content: [text('{"a": [1]}')] })).toEqual(says('{"a": [1]}'));
    expect(renderResult({ structuredContent, content: [image(png)] }).output).toEqual([
      { type: 'image', mediaType: 'image/png', data: png },
      { type: 'text', text: '{"a":[1]}' },
    ]);
  });

  test('with pictures keeps them in their places', () => {
    expect(render(text('a'), image(png), image(jpeg), text('b'), text('c')).output).toEqual([
      { type: 'text', text: 'a' },
      { type: 'image', mediaType: 'image/png', data: png },
      { type: 'image', mediaType: 'image/jpeg', data: jpeg },
      { type: 'text', text: 'b\nc' },
    ]);
  });

  test('says of a picture what its bytes say, whatever the server calls it', () => {
    const types = [
      [png, 'image/png'],
      [jpeg, 'image/jpeg'],
      [gif, 'image/gif'],
      [webp, 'image/webp'],
    ] as const;
    for (const [data, mediaType] of types) {
      for (const claimed of ['image/png', 'text/plain', '', undefined, 7]) {
        expect(render(image(data, claimed)).output).toEqual([{ type: 'image', mediaType, data }]);
      }
    }
  });

  test.each([
    ['another kind', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')],
    ['no base64', `${png}!`],
    ['base64 that is cut', png.slice(0, -1)],
    ['an empty text', ''],
    ['over 5 MB', `${png.slice(0, 40)}${'A'.repeat(5 * 1024 * 1024)}`],
  ])('does not show a picture that is %s, since no model would take it', (_name, data) => {
    expect(render(text('see'), image(data, 'image/x')).output).toEqual([
      { type: 'text', text: expect.stringMatching(/^see\n\[image \(image\/x\), \d+ bytes; left out: it cannot be shown\]$/) },
    ]);
  });

  test('with many pictures shows ten', () => {
    const { output } = render(...Array.from({ length: 25 }, () => image(png)));
    expect(output.filter(({ type }) => type === 'image')).toHaveLength(10);
    expect(textOf(output)).toBe('[15 more images; left out: at most 10 are shown]');
  });

  test('has a line for everything else, and encloses texts', () => {
    const uri = 'file:///a b.txt';
    expect(
      textOf(
        render(
          { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
          { type: 'resource', resource: { uri, text: 'inside' } },
          { type: 'resource', resource: { uri, blob: 'AAAAAAAA', mimeType: 'application/zip' } },
          { type: 'resource_link', uri, name: 'A', description: 'the a', mimeType: 'text/plain' },
          { type: 'resource_link', uri },
          { type: 'hologram', data: 'x' },
          { type: 'text', text: 7 },
          null,
        ).output,
      ).split('\n'),
    ).toEqual([
      '[audio (audio/wav), 3 bytes; left out: it cannot be shown]',
      '[resource file:///a b.txt]',
      'inside',
      '[resource file:///a b.txt (application/zip), 6 bytes; left out: it cannot be shown]',
      '[link to a resource "A" file:///a b.txt (text/plain): the a]',
      '[link to a resource file:///a b.txt]',
      '[a part of a kind that is not known here; left out]',
      '[a part of a kind that is not known here; left out]',
      '[a part of a kind that is not known here; left out]',
    ]);
  });

  test('has labels of one line and a bounded length', () => {
    const long = `a\n::error::${'b'.repeat(100_000)}`;
    const { output } = render({ type: 'resource_link', uri: long, name: long, description: long, mimeType: long });
    expect(textOf(output)).not.toContain('\n');
    expect(textOf(output).length).toBeLessThan(1_500);
  });

  test.each([1, 2, 3, 4])(
    'is cut to 50,000 bytes with its head and its tail, whatever its characters (%i bytes each)',
    (bytes) => {
      const character = ['x', 'é', '世', '\u{1F600}'][bytes - 1] ?? '';
      for (const length of [49_899, 49_900, 49_901, 50_000, 123_457, 5_000_000]) {
        const whole = `HEAD${character.repeat(Math.floor(length / bytes))}TAIL`;
        const told = textOf(render(text(whole)).output);
        expect(Buffer.byteLength(told)).toBeLessThanOrEqual(50_000);
        expect(told).toMatch(/^HEAD.*TAIL$/s);
        expect(told).not.toContain('\ufffd');
        const [head = '', omitted, tail = ''] = told.split(/\n\[… (\d+) bytes omitted …\]\n/);
        const left = Number(omitted ?? 0);
        expect(Buffer.byteLength(head) + left + Buffer.byteLength(tail)).toBe(Buffer.byteLength(whole));
      }
    },
  );

  test('has one bound for all of its texts, pictures between them or not', () => {
    const { output } = render(...Array.from({ length: 9 }, () => [text('x'.repeat(20_000)), image(png)]).flat());
    expect(Buffer.byteLength(textOf(output))).toBeLessThan(51_000);
    expect(output.filter(({ type }) => type === 'image')).toHaveLength(9);
  });
});
