import { describe, expect, test } from '@jest/globals';
import { carriesMarker, hasMarker, parseMarker, renderMarked, renderMarker } from '../../src/github/marker.ts';

const marker = { trigger: 'issue_comment-12', kind: 'reply' } as const;

describe('the marker', () => {
  test('what is rendered is parsed again, alone and above a text', () => {
    expect(parseMarker(renderMarker(marker))).toEqual(marker);
    expect(parseMarker(renderMarked(marker, 'Done.'))).toEqual(marker);
    expect(renderMarked(marker, 'Done.')).toBe('<!-- harness9:v1 trigger=issue_comment-12 kind=reply -->\nDone.');
  });

  test('a pull request’s names its thread and its trust', () => {
    const origin = { thread: 'issue-12', trust: 'mixed' } as const;
    const pull = { trigger: 'issue_comment-12', kind: 'pull_request', origin } as const;
    expect(renderMarker(pull)).toBe(
      '<!-- harness9:v1 trigger=issue_comment-12 kind=pull_request thread=issue-12 trust=mixed -->',
    );
    expect(parseMarker(renderMarked(pull, 'Done.'))).toEqual(pull);
    expect(parseMarker(renderMarker(pull).replace('mixed', 'full'))).toEqual({ ...pull, origin: undefined });
  });

  test('a reply’s says that work is left, and what became of a merge', () => {
    const open = { ...marker, isOpen: true, merge: 'open' } as const;
    expect(renderMarker(open)).toBe('<!-- harness9:v1 trigger=issue_comment-12 kind=reply open=true merge=open -->');
    expect(parseMarker(renderMarker(open))).toEqual(open);
    expect(parseMarker(renderMarker(open).replace('merge=open', 'merge=maybe'))).toEqual({ ...marker, isOpen: true });
  });

  test('a body that was edited on the page, with the line ends of a form, keeps it', () => {
    expect(parseMarker(`${renderMarker(marker)}\r\nDone.`)).toEqual(marker);
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
