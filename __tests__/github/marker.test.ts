import { describe, expect, test } from '@jest/globals';
import { carriesMarker, hasMarker, parseMarker, renderMarked, renderMarker } from '../../src/github/marker.ts';

const marker = { trigger: 'issue_comment-12', kind: 'reply' } as const;

describe('the marker', () => {
  test('what is rendered is parsed again, alone and above a text', () => {
    expect(parseMarker(renderMarker(marker))).toEqual(marker);
    expect(parseMarker(renderMarked(marker, 'Done.'))).toEqual(marker);
    expect(renderMarked(marker, 'Done.')).toBe('<!-- harness9:v1 trigger=issue_comment-12 kind=reply -->\nDone.');
  });

  test('an id cannot end the hidden line', () => {
    expect(parseMarker(renderMarked({ ...marker, trigger: 'a --> b' }, 'x'))).toEqual({ ...marker, trigger: 'a_--__b' });
  });

  test('G8 only at the start is it ours; anywhere it is a sign not to answer (A5)', () => {
    const quoted = `> ${renderMarked(marker, 'Done.')}`;
    expect([parseMarker(quoted), hasMarker(quoted, marker), carriesMarker(quoted)]).toEqual([null, false, true]);
    expect([parseMarker('Done.'), carriesMarker('Done.')]).toEqual([null, false]);
  });

  test.each([
    ['another version', '<!-- harness9:v2 trigger=a kind=reply -->\nx'],
    ['an unknown kind', '<!-- harness9:v1 trigger=a kind=other -->\nx'],
    ['text on its line', '<!-- harness9:v1 trigger=a kind=reply -->x'],
    ['no trigger', '<!-- harness9:v1 kind=reply -->\nx'],
  ])('%s is not parsed', (_what, body) => {
    expect(parseMarker(body)).toBe(null);
  });

  test('a marker of another trigger whose id begins alike is another one', () => {
    expect(hasMarker(renderMarked({ ...marker, trigger: 'issue_comment-123' }, 'x'), marker)).toBe(false);
  });
});
