// Streamed tool calls in every form that servers were seen to send them.
import { describe, expect, test } from '@jest/globals';
import { ToolCallAccumulator, type ToolCallFragment } from '../../src/provider/tool-call-accumulator.ts';

function callsOf(...fragments: readonly ToolCallFragment[]) {
  const accumulator = new ToolCallAccumulator();
  for (const fragment of fragments) {
    accumulator.add(fragment);
  }
  return accumulator.finish();
}

function read(id: string, args: string) {
  return { id, name: 'read_file', arguments: args };
}

describe('the arguments', () => {
  test.each<[string, unknown]>([
    ['empty', ''],
    ['blank', '  \n'],
    ['null', null],
    ['missing', undefined],
  ])('that are %s are an empty object (G2-01, G2-02)', (_, value) => {
    expect(callsOf({ index: 0, id: 'a', name: 'read_file', arguments: value })).toEqual([read('a', '{}')]);
  });

  test('that come as an object are its JSON (G2-04)', () => {
    expect(callsOf({ index: 0, id: 'a', name: 'read_file', arguments: { path: 'a.txt' } })).toEqual([
      read('a', '{"path":"a.txt"}'),
    ]);
  });

  test.each<[string, readonly ToolCallFragment[]]>([
    ['begin with an empty object', [{ arguments: '{}' }, { arguments: '{"pa' }, { arguments: 'th":"x"}' }]],
    ['are said once more, whole', [{ arguments: '{"path":"x"}' }, { arguments: '{"path":"x"}' }]],
    [
      'are said once more, whole behind their pieces',
      [{ arguments: '{"path"' }, { arguments: ':"x"}' }, { arguments: '{"path":"x"}' }],
    ],
    ['are said once more, as an object', [{ arguments: { path: 'x' } }, { arguments: { path: 'x' } }]],
    [
      'come under an id of their own',
      [
        { id: 'b', arguments: '{"path"' },
        { id: 'b', arguments: ':"x"}' },
      ],
    ],
    [
      'come under another id each time',
      [
        { id: 'b', name: '', arguments: '{"path"' },
        { id: 'c', name: null, arguments: ':"x"}' },
      ],
    ],
    ['end in nothing under another id', [{ arguments: '{"path":"x"}' }, { id: 'b', arguments: '' }]],
  ])('that %s are those of the one call', (_, fragments) => {
    const [start, expected] = [{ id: 'a', name: 'read_file', arguments: '' }, [read('a', '{"path":"x"}')]];
    expect(callsOf(start, ...fragments)).toEqual(expected);
    const indexed = [start, ...fragments].map((fragment) => ({ ...fragment, index: 0 }));
    expect(callsOf(...indexed)).toEqual(expected);
  });

  test('of two calls under one index are told apart by their ids', () => {
    const starts = ['a', 'b'].map((id) => ({ index: 0, id, name: 'read_file', arguments: '' }));
    const pieces = ['{"path":', '"x"}'].flatMap((text) => ['b', 'a'].map((id) => ({ index: 0, id, arguments: text })));
    expect(callsOf(...starts, ...pieces)).toEqual([read('a', '{"path":"x"}'), read('b', '{"path":"x"}')]);
  });

  test('that cannot be parsed stay the text that the model wrote', () => {
    expect(callsOf({ index: 0, id: 'a', name: 'read_file', arguments: '{"path":' })).toEqual([read('a', '{"path":')]);
  });
});

describe('the index', () => {
  const both = [read('a', '{"path":"x"}'), read('b', '{"path":"y"}')];

  test('may be 0 for two calls with different ids (G2-05)', () => {
    expect(
      callsOf(
        { index: 0, id: 'a', name: 'read_file', arguments: '{"path":"x"}' },
        { index: 0, id: 'b', name: 'read_file', arguments: '{"pa' },
        { index: 0, arguments: 'th":"y"}' },
      ),
    ).toEqual(both);
  });

  test('may be 0 for two calls without ids, once the first is complete (G2-05)', () => {
    const calls = callsOf(
      { index: 0, name: 'read_file', arguments: '{"path":"x"}' },
      { index: 0, name: 'read_file', arguments: '{"path":"y"}' },
    );
    expect(calls.map((call) => call.arguments)).toEqual(['{"path":"x"}', '{"path":"y"}']);
  });

  test('may be missing: a new id starts a call, a fragment without one continues the latest (G2-06)', () => {
    expect(
      callsOf(
        { id: 'a', name: 'read_file', arguments: '{"path":' },
        { arguments: '"x"}' },
        { id: 'b', name: 'read_file', arguments: '{"path":' },
        { id: null, name: null, arguments: '"y"}' },
      ),
    ).toEqual(both);
  });

  test('may appear from the second fragment on (G2-06)', () => {
    expect(callsOf({ id: 'a', name: 'read_file', arguments: '{"path":' }, { index: 0, arguments: '"x"}' })).toEqual([both[0]]);
  });

  test('keeps interleaved calls apart although the id is on the first fragment only (G2-07)', () => {
    expect(
      callsOf(
        { index: 0, id: 'a', name: 'read_file', arguments: '{"pa' },
        { index: 1, id: 'b', name: 'read_file', arguments: '{"pa' },
        { index: 0, name: null, arguments: 'th":"x"}' },
        { index: 1, name: null, arguments: 'th":"y"}' },
      ),
    ).toEqual(both);
  });

  test('may have gaps and come out of order: nothing is lost', () => {
    expect(
      callsOf(
        { index: 5, id: 'b', name: 'read_file', arguments: '{"path":"y"}' },
        { index: 1, id: 'a', name: 'read_file', arguments: '{"path":"x"}' },
      ),
    ).toEqual(both);
  });
});

describe('the id and the name', () => {
  test('may be repeated on every fragment', () => {
    expect(
      callsOf(
        { index: 0, id: 'a', name: 'read_file', arguments: '{"path":' },
        { index: 0, id: 'a', name: 'read_file', arguments: '"x"}' },
      ),
    ).toEqual([read('a', '{"path":"x"}')]);
  });

  test('when no id comes, the position makes one, the same on a replay', () => {
    const fragments = [
      { index: 0, name: 'read_file', arguments: '{"path":"x"}' },
      { index: 1, name: 'read_file', arguments: '{"path":"y"}' },
    ];
    expect(callsOf(...fragments)).toEqual([read('call_1', '{"path":"x"}'), read('call_2', '{"path":"y"}')]);
    expect(callsOf(...fragments)).toEqual(callsOf(...fragments));
  });

  test('an id used twice is made unique: each call gets its own result, and the first keeps it', () => {
    const calls = callsOf({ index: 0, id: 'a', name: 'read_file' }, { index: 1, id: 'a', name: 'read_file' });
    expect(calls.map((call) => call.id)).toEqual(['a', 'call_2']);
  });

  test('a made id is never one that a server gave to another call', () => {
    const calls = callsOf({ index: 0, name: 'read_file' }, { index: 1, id: 'call_1', name: 'read_file' });
    expect(calls.map((call) => call.id)).toEqual(['call_1_', 'call_1']);
  });

  test('a fragment that never gets a name is no call (G2-14)', () => {
    expect(callsOf({ index: 0, id: 'a', arguments: '{"path":"x"}' })).toEqual([]);
  });
});

describe('any calls, cut anywhere, come out as they went in', () => {
  const calls = Array.from({ length: 4 }, (_, at) => ({
    id: `call_${'abcd'[at]}`,
    name: at % 2 === 0 ? 'read_file' : 'bash',
    arguments: JSON.stringify({ path: `é${at}{"}`, nested: { list: [1, { at }] } }),
  }));

  /** The text in pieces of `size`, the id and the name on the first of them or on all. */
  const piecesOf = (at: number, size: number, isNamedThroughout: boolean): readonly ToolCallFragment[] => {
    const { id, name, arguments: text } = calls[at] ?? { id: '', name: '', arguments: '' };
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    const named = (index: number) => (index === 0 || isNamedThroughout ? { id, name } : {});
    return pieces.map((piece, index) => ({ ...named(index), index: at, arguments: piece }));
  };

  test.each([true, false])(
    'one after the other or in turns, with an index; id and name on each fragment: %s',
    (isNamedThroughout) => {
      for (let size = 1; size < 20; size += 1) {
        const lists = calls.map((_, at) => piecesOf(at, size, isNamedThroughout));
        const longest = Math.max(...lists.map((list) => list.length));
        const inTurns = Array.from({ length: longest }, (_, row) => lists.flatMap((list) => list.slice(row, row + 1))).flat();
        expect(callsOf(...lists.flat())).toEqual(calls);
        expect(callsOf(...inTurns)).toEqual(calls);
        // The same server, all of whose calls are the first one.
        if (isNamedThroughout) expect(callsOf(...lists.flat().map((fragment) => ({ ...fragment, index: 0 })))).toEqual(calls);
      }
    },
  );

  test('one after the other without an index, the id on the first fragment or on each', () => {
    for (let size = 1; size < 20; size += 1) {
      for (const isNamedThroughout of [true, false]) {
        const fragments = calls.flatMap((_, at) =>
          piecesOf(at, size, isNamedThroughout).map(({ index: _index, ...rest }) => rest),
        );
        expect(callsOf(...fragments)).toEqual(calls);
      }
    }
  });

  test('a call that is cut anywhere is told from a whole one', () => {
    const [fragment] = piecesOf(0, 1000, true);
    const text = String(fragment?.arguments);
    for (let at = 0; at <= text.length; at += 1) {
      const accumulator = new ToolCallAccumulator();
      accumulator.add({ ...fragment, arguments: text.slice(0, at) });
      expect(accumulator.hasHalfCall).toBe(at < text.length);
    }
  });
});
