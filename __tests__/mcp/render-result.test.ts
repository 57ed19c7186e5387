// What a server answers, as the model gets it.
import { describe, expect, test } from '@jest/globals';
import { type Rendered, renderResult } from '../../src/mcp/render-result.ts';
import { textOf } from '../../src/schema/message.ts';
import { realGif, realPng } from '../schema/real-pictures.ts';
import { gif, jpeg, png, webp } from './pictures.ts';

const [aPng, aJpeg] = [png(), jpeg()];

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
    expect(renderResult({ structuredContent, content: [image(aPng)] }).output).toEqual([
      { type: 'image', mediaType: 'image/png', data: aPng },
      { type: 'text', text: '{"a":[1]}' },
    ]);
  });

  test('with pictures keeps them in their places', () => {
    expect(render(text('a'), image(aPng), image(aJpeg), text('b'), text('c')).output).toEqual([
      { type: 'text', text: 'a' },
      { type: 'image', mediaType: 'image/png', data: aPng },
      { type: 'image', mediaType: 'image/jpeg', data: aJpeg },
      { type: 'text', text: 'b\nc' },
    ]);
  });

  test('says of a picture what its bytes say, whatever the server calls it', () => {
    const types = [
      [aPng, 'image/png'],
      [aJpeg, 'image/jpeg'],
      [gif(), 'image/gif'],
      [webp.lossy(), 'image/webp'],
      [webp.lossless(), 'image/webp'],
      [webp.extended(), 'image/webp'],
    ] as const;
    for (const [data, mediaType] of types) {
      for (const claimed of ['image/png', 'text/plain', '', undefined, 7]) {
        expect(render(image(data, claimed)).output).toEqual([{ type: 'image', mediaType, data }]);
      }
    }
  });

  test.each([
    ['another kind', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')],
    ['no base64', `${aPng}!`],
    ['base64 that is cut', aPng.slice(0, -1)],
    ['an empty text', ''],
    ['over 5 MB', `${aPng}${'A'.repeat(5 * 1024 * 1024)}`],
    ['without a size', png(0, 3)],
    ['over before its size', aPng.slice(0, 24)],
    ['a frame without a picture', Buffer.from('ffd8ffe00006414141410000', 'hex').toString('base64')],
    ['a JPEG that ends in a segment', aJpeg.slice(0, 16)],
  ])('does not show a picture that is %s, since no model would take it', (_name, data) => {
    expect(render(text('see'), image(data, 'image/x')).output).toEqual([
      { type: 'text', text: expect.stringMatching(/^see\n\[image \(image\/x\), \d+ bytes; left out: it cannot be shown\]$/) },
    ]);
  });

  test('does not show a picture with a side of more than 8000 pixels, and says so', () => {
    for (const make of [png, jpeg, gif, webp.lossy, webp.lossless, webp.extended]) {
      expect(render(image(make(8_000, 1))).output).toEqual([expect.objectContaining({ type: 'image' })]);
      for (const [width, height] of [
        [8_001, 10],
        [10, 12_345],
      ] as const) {
        expect(render(image(make(width, height))).output).toEqual([
          {
            type: 'text',
            text: `[image (image/png), ${width} × ${height} pixels; left out: no side may have more than 8000]`,
          },
        ]);
      }
    }
  });

  test('does not show a picture that moves or was cut off, and says so', () => {
    const moving = realGif(2);
    const cut = realPng(40, 30).subarray(0, -9);
    expect(render(image(moving.toString('base64')), image(cut.toString('base64'))).output).toEqual([
      {
        type: 'text',
        text:
          '[image (image/png), 1 × 1 pixels; left out: it is animated, and models see pictures that stand still]\n' +
          '[image (image/png), 40 × 30 pixels; left out: it is broken or cut off]',
      },
    ]);
  });

  test('with many pictures shows ten, and of large ones as many as 10 MB hold', () => {
    const { output } = render(...Array.from({ length: 25 }, () => image(aPng)));
    expect(output.filter(({ type }) => type === 'image')).toHaveLength(10);
    expect(textOf(output)).toBe('[15 more images; left out: at most 10, of 10 MB together, are shown]');
    const large = `${aPng}${'A'.repeat(4 * 1024 * 1024)}`;
    const some = render(image(large), image(large), image(large), text('b'), image(aPng)).output;
    expect(some.map((part) => (part.type === 'image' ? part.data.length : part))).toEqual([
      large.length,
      large.length,
      text('b'),
      aPng.length,
      text('[1 more image; left out: at most 10, of 10 MB together, are shown]'),
    ]);
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

  test('of a million parts is read so far', () => {
    const { output } = renderResult({ content: Array.from({ length: 20_002 }, () => text('x')) });
    expect(textOf(output)).toBe(`${'x\n'.repeat(20_000)}[2 more parts; left out]`);
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
    const { output } = render(...Array.from({ length: 9 }, () => [text('x'.repeat(20_000)), image(aPng)]).flat());
    expect(Buffer.byteLength(textOf(output))).toBeLessThan(51_000);
    expect(output.filter(({ type }) => type === 'image')).toHaveLength(9);
  });
});
