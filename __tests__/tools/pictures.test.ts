// A picture of the workspace on its way: from the file through the tool host, the history and the journal to both vendors.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { convertMessages as toAnthropic } from '../../src/provider/anthropic/convert-messages.ts';
import { convertMessages as toOpenAI } from '../../src/provider/openai/convert-messages.ts';
import { withoutPictures } from '../../src/provider/pictures.ts';
import type { Message } from '../../src/schema/message.ts';
import { estimateMessage } from '../../src/schema/token-estimate.ts';
import { webp } from '../mcp/pictures.ts';
import { useHosts } from '../sandbox/host-fixture.ts';
import { realGif, realJpeg, realPng } from '../schema/real-pictures.ts';
import { useWorkspace } from './workspace.ts';

const workspace = useWorkspace();
const start = useHosts();
const origin = { provider: 'p', endpoint: 'e', model: 'm' };

/** Of so many bytes in all. */
function weighty(bytes: number): Buffer {
  return realPng(40, 30, { weight: bytes - realPng(40, 30, { weight: 1 }).length + 1 });
}

describe('read_file', () => {
  test.each([
    ['image/png', 'a PNG image', '40 × 30', realPng(40, 30)],
    ['image/jpeg', 'a JPEG image', '40 × 30', realJpeg(40, 30)],
    ['image/gif', 'a GIF image', '1 × 1', realGif()],
    ['image/webp', 'a WebP image', '40 × 30', Buffer.from(webp.lossy(40, 30), 'base64')],
    ['image/webp', 'a WebP image', '40 × 30', Buffer.from(webp.lossless(40, 30), 'base64')],
    ['image/webp', 'a WebP image', '40 × 30', Buffer.from(webp.extended(40, 30), 'base64')],
  ])('G4-23 shows a picture by its bytes, whatever its name: %s', async (mediaType, what, size, bytes) => {
    const { at, execute } = workspace();
    writeFileSync(at('picture.txt'), bytes);
    expect(await execute('read_file', { path: 'picture.txt' })).toEqual({
      toolCallId: 'c1',
      output: [
        { type: 'text', text: `"picture.txt" is ${what}, ${bytes.length} bytes, ${size} pixels:` },
        { type: 'image', mediaType, data: bytes.toString('base64') },
      ],
      isError: false,
    });
  });

  test('G4-23 what is too large, broken or no picture is told by kind and size', async () => {
    const { at, call, execute } = workspace();
    const large = weighty(3.75 * 1024 * 1024 + 1);
    writeFileSync(at('large.png'), large);
    writeFileSync(at('huge.png'), Buffer.concat([large, Buffer.alloc(8 * 1024 * 1024)]));
    writeFileSync(at('wide.png'), realPng(9000, 1));
    writeFileSync(at('broken.png'), realPng(40, 30).subarray(0, 18));
    writeFileSync(at('a.pdf'), Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from([0, 0xff])]));
    const limits = 'it is not shown, since models take at most 3932160 bytes and 8000 pixels a side.';
    const read = async (name: string) => (await call('read_file', { path: name })).text;
    expect([
      await read('large.png'),
      await read('huge.png'),
      await read('wide.png'),
      await read('broken.png'),
      await read('a.pdf'),
    ]).toEqual([
      `"large.png" is a PNG image, ${large.length} bytes, 40 × 30 pixels; ${limits}`,
      `"huge.png" is a PNG image, ${large.length + 8 * 1024 * 1024} bytes, 40 × 30 pixels; ${limits}`,
      `"wide.png" is a PNG image, ${readFileSync(at('wide.png')).length} bytes, 9000 × 1 pixels; ${limits}`,
      '"broken.png" is not text: a PNG image, 18 bytes.',
      '"a.pdf" is not text: a PDF document, 11 bytes.',
    ]);
    writeFileSync(at('full.png'), weighty(3.75 * 1024 * 1024));
    expect((await execute('read_file', { path: 'full.png' })).output.map(({ type }) => type)).toEqual(['text', 'image']);
  });

  test('a picture that moves or was cut off is told and not shown: a server that refuses it refuses the whole request', async () => {
    const { at, call } = workspace();
    writeFileSync(at('a.gif'), realGif(2));
    writeFileSync(at('b.gif'), realGif(1));
    expect((await call('read_file', { path: 'a.gif' })).text).toBe(
      `"a.gif" is a GIF image, ${realGif(2).length} bytes, 1 × 1 pixels; it is not shown: it is animated, and models see pictures that stand still.`,
    );
    const cut = realPng(40, 30).subarray(0, -9);
    writeFileSync(at('cut.png'), cut);
    expect((await call('read_file', { path: 'cut.png' })).text).toBe(
      `"cut.png" is a PNG image, ${cut.length} bytes, 40 × 30 pixels; it is not shown: it is broken or cut off.`,
    );
    expect((await call('read_file', { path: 'b.gif' })).text).toContain('1 × 1 pixels:');
  });

  test('the largest picture that is shown comes through the tool host, and goes to both vendors', async () => {
    const { host, dir } = await start();
    const bytes = weighty(3.75 * 1024 * 1024);
    writeFileSync(path.join(dir, 'a.png'), bytes);
    const call = { id: 'c7', name: 'read_file', arguments: '{"path":"a.png"}' };
    const result = await host.registry.execute(call, { signal: new AbortController().signal });
    const data = bytes.toString('base64');
    const text = `"a.png" is a PNG image, ${bytes.length} bytes, 40 × 30 pixels:`;
    expect(result.output).toEqual([
      { type: 'text', text },
      { type: 'image', mediaType: 'image/png', data },
    ]);
    const messages: readonly Message[] = [
      { role: 'user', content: [{ type: 'text', text: 'look' }] },
      { role: 'assistant', content: [], toolCalls: [call] },
      { role: 'user', content: result.output, toolCallId: 'c7', isError: false },
    ];
    expect(
      toAnthropic(messages, origin)
        .at(-1)
        ?.blocks.map(({ block }) => block),
    ).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'c7',
        content: [
          { type: 'text', text },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
        ],
      },
    ]);
    expect(toOpenAI(messages, origin).slice(-2)).toEqual([
      { role: 'tool', tool_call_id: 'c7', content: text },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What the call c7 of read_file shows:' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
        ],
      },
    ]);
    const last = messages[2];
    expect(last === undefined ? 0 : estimateMessage(last)).toBeLessThan(2000);
    expect(
      withoutPictures({ messages, tools: [], toolChoice: 'auto', tailStart: messages.length })
        .messages.at(-1)
        ?.content.map(({ type }) => type),
    ).toEqual(['text', 'text']);
  });
});
