// How servers that are processes start, die, are started again and end.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { McpParts } from '../../src/mcp/parts.ts';
import { Harness9Error } from '../../src/schema/error.ts';
import type { RunningProcess, StartProcess } from '../../src/schema/running-process.ts';
import { processParts, type RawOptions, raw, startScene } from './scene.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'harness9-lives-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function stateFile(): string {
  files += 1;
  return path.join(folder, `starts-${files}`);
}

/** Parts whose processes are kept, so that a test can see what became of them. */
function watched(): { readonly overrides: Partial<McpParts>; readonly started: RunningProcess[]; readonly remove: () => void } {
  const { parts, remove } = processParts();
  const started: RunningProcess[] = [];
  const startProcess: StartProcess = (request, signal) => {
    const process = parts.startProcess?.(request, signal);
    if (process === undefined) throw new Error('unreachable');
    started.push(process);
    return process;
  };
  return { overrides: { startProcess }, started, remove };
}

async function failureOf(work: Promise<unknown>): Promise<Harness9Error> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Harness9Error) return error;
  throw new Error(`no Harness9Error: ${error}`);
}

describe('a server that does not start', () => {
  const cases: readonly (readonly [name: string, options: RawOptions, why: RegExp])[] = [
    ['ends at once', { start: 'exits' }, /it ended with exit code 3; the end of its stderr: no licence file \| set LICENCE$/],
    ['answers nothing', { start: 'silent' }, /it was not ready within 0\.7 s$/],
    ['is too slow', { delayMs: 20_000 }, /it was not ready within 0\.7 s$/],
    ['does not hear that it shall end', { start: 'deaf' }, /it was not ready within 0\.7 s$/],
    ['closes its output', { start: 'closes_output' }, /it was not ready within 0\.7 s$/],
    ['does not tell its tools', { start: 'no_list' }, /it was not ready within 0\.7 s$/],
    [
      'dies when asked for its tools',
      { start: 'dies_in_list' },
      /it ended with exit code 3; the end of its stderr: the list is lost$/,
    ],
    ['refuses', { start: 'error' }, /the licence has run out$/],
    ['answers nonsense', { start: 'nonsense' }, /./],
    ['speaks another version', { start: 'old_protocol' }, /1999-01-01$/],
  ];
  test.each(cases)('since it %s is told, and the others are there', async (_name, options, why) => {
    const { overrides, started, remove } = watched();
    // Waited for in full by those that never become ready, and by no other.
    const isWaitedFor = why.source.includes('not ready');
    const bad = raw(options, { startup_timeout_secs: isWaitedFor ? 0.7 : 20 });
    await using scene = await startScene({ good: raw(), bad }, overrides);
    expect(scene.notices).toEqual([expect.stringMatching(/^MCP server "bad" \(.*node\) is not there: /)]);
    expect(scene.notices[0]).toMatch(why);
    expect(scene.notices[0]).not.toContain('\n');
    expect((await scene.call('mcp__good__echo', { a: 1 })).text).toBe('{"a":1}');
    // Nothing of it is left.
    expect(await started[1]?.end).toMatchObject({ kind: expect.stringMatching(/exit|signal/) });
    remove();
  });

  test('since there is no such program is told', async () => {
    await using scene = await startScene({ bad: { command: 'no-such-program-9' } });
    expect(scene.notices).toEqual([
      expect.stringMatching(/^MCP server "bad" \(no-such-program-9\) is not there: it could not run: .*ENOENT/),
    ]);
  });

  test('since this level runs no processes is told', async () => {
    await using scene = await startScene({ bad: raw() }, { startProcess: undefined });
    expect(scene.notices).toEqual([expect.stringContaining('is not there: this level of the sandbox runs no processes')]);
    expect(scene.tools).toEqual([]);
  });

  test('ends the run where it is required, with all that are missing, and the others are ended', async () => {
    const { overrides, started, remove } = watched();
    const required = { required: true };
    const error = await failureOf(
      startScene({ good: raw(), a: raw({ start: 'exits' }, required), b: raw({ start: 'error' }, required) }, overrides),
    );
    expect(error.code).toBe('MCP_START');
    expect(error.message.split('\n')).toEqual([expect.stringContaining('"a"'), expect.stringContaining('"b"')]);
    const ends = await Promise.all(started.map(({ end }) => end));
    expect(ends).toHaveLength(3);
    remove();
  });

  test('since the run was called off: the start rejects with the reason, and nothing is left', async () => {
    const { overrides, started, remove } = watched();
    const controller = new AbortController();
    const pending = startScene({ good: raw(), slow: raw({ start: 'silent' }) }, overrides, controller.signal);
    await delay(300);
    controller.abort(new Error('called off'));
    await expect(pending).rejects.toThrow('called off');
    await Promise.all(started.map(({ end }) => end));
    remove();
  });

  test('no server is no start', async () => {
    await using scene = await startScene({});
    expect([scene.tools, scene.notices]).toEqual([[], []]);
  });
});

describe('a server that dies', () => {
  test('in a call is told in its answer with its last words, and is there again for the next one', async () => {
    await using scene = await startScene({ s: raw({ stateFile: stateFile() }) });
    const { names } = scene;
    expect(await scene.call('mcp__s__crash_once')).toMatchObject({
      isError: true,
      text: 'mcp__s__crash_once: the MCP server "s" was gone before it answered: it ended with exit code 3; the end of its stderr: first life over. The next call starts it again.',
    });
    expect(scene.tools.map(({ definition }) => definition.name)).toEqual(names);
    expect(await scene.call('mcp__s__crash_once')).toMatchObject({ isError: false, text: 'life 2' });
  });

  test('is started again once and no more; its tools stay where they are', async () => {
    const file = stateFile();
    await using scene = await startScene({ s: raw({ stateFile: file }), t: raw() });
    await scene.call('mcp__s__crash');
    const second = await scene.call('mcp__s__crash');
    expect(second.text).toMatch(/segment 7 is broken\.$/);
    for (let count = 0; count < 3; count += 1) {
      expect(await scene.call('mcp__s__echo')).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^mcp__s__echo: the MCP server "s" is not there any more: it ended with exit code 3/),
      });
    }
    expect(readFileSync(file, 'utf8')).toBe('..');
    expect(scene.names).toContain('mcp__s__echo');
    expect((await scene.call('mcp__t__echo')).isError).toBe(false);
  });

  test('between two calls is started again unnoticed, once for all that call at the time', async () => {
    const file = stateFile();
    await using scene = await startScene({ s: raw({ stateFile: file }) });
    expect((await scene.call('mcp__s__crash_later')).text).toBe('bye');
    await delay(400);
    const answers = await Promise.all([1, 2, 3, 4].map((n) => scene.call('mcp__s__echo', { n })));
    expect(answers.map(({ text }) => text)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}']);
    expect(readFileSync(file, 'utf8')).toBe('..');
  });

  test('fails all calls that wait for it', async () => {
    await using scene = await startScene({ s: raw() });
    const waiting = [scene.call('mcp__s__never'), scene.call('mcp__s__never')];
    const killed = await scene.call('mcp__s__killed');
    expect(killed.text).toContain('it was ended by SIGKILL');
    for (const answer of await Promise.all(waiting))
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('SIGKILL') });
  });

  test('of a line of 20 MB is ended with the reason', async () => {
    await using scene = await startScene({ s: raw() });
    expect((await scene.call('mcp__s__endless_line')).text).toContain('it sent a line of more than 16 MB. The next call');
    expect((await scene.call('mcp__s__echo', { a: 1 })).text).toBe('{"a":1}');
  });

  test('and cannot start again is told with why', async () => {
    let starts = 0;
    const { parts, remove } = processParts();
    const startProcess: StartProcess = (request, signal) => {
      starts += 1;
      const argv: readonly [string, ...string[]] = starts === 1 ? request.argv : ['no-such-program-9'];
      if (parts.startProcess === undefined) throw new Error('unreachable');
      return parts.startProcess({ ...request, argv }, signal);
    };
    await using scene = await startScene({ s: raw() }, { startProcess });
    await scene.call('mcp__s__crash');
    for (const time of ['at first', 'and later']) {
      expect([time, (await scene.call('mcp__s__echo')).text]).toEqual([
        time,
        expect.stringMatching(
          /is not there any more: it ended with exit code 3.*; it could not be started again: it could not run: .*ENOENT/,
        ),
      ]);
    }
    expect(starts).toBe(2);
    remove();
  });

  test('has a call that is called off while it starts again answered at once', async () => {
    await using scene = await startScene({ s: raw({ laterDelayMs: 1_500, stateFile: stateFile() }) });
    await scene.call('mcp__s__crash');
    const controller = new AbortController();
    const pending = scene.call('mcp__s__echo', {}, controller.signal);
    await delay(100);
    controller.abort();
    expect((await pending).text).toMatch(/cancelled/);
    expect((await scene.call('mcp__s__echo', { b: 1 })).text).toBe('{"b":1}');
  });
});

describe('closing', () => {
  test('ends all processes, those too that do not want to; calls fail then, and nothing is started again', async () => {
    const { overrides, started, remove } = watched();
    const scene = await startScene({ s: raw(), t: raw() }, overrides);
    const waiting = scene.call('mcp__s__never');
    await Promise.all([scene.close(), scene.close()]);
    expect(await Promise.all(started.map(({ end }) => end))).toHaveLength(2);
    expect(await waiting).toMatchObject({ isError: true });
    expect(await scene.call('mcp__s__echo')).toMatchObject({ isError: true, text: expect.stringContaining('it was closed') });
    expect(started).toHaveLength(2);
    remove();
  });

  test('while a server starts again leaves none of its processes', async () => {
    const { overrides, started, remove } = watched();
    const scene = await startScene({ s: raw({ laterDelayMs: 20_000, stateFile: stateFile() }) }, overrides);
    await scene.call('mcp__s__crash');
    const pending = scene.call('mcp__s__echo');
    await delay(300);
    await scene.close();
    expect(await pending).toMatchObject({ isError: true, text: expect.stringContaining('the MCP server "s" was closed') });
    expect(await Promise.all(started.map(({ end }) => end))).toHaveLength(2);
    expect((await scene.call('mcp__s__echo')).text).toContain('it was closed');
    remove();
  });

  test('does not wait for processes that never end', async () => {
    const { overrides, remove } = watched();
    const immortal: StartProcess = (request, signal) => {
      const process = overrides.startProcess?.(request, signal);
      if (process === undefined) throw new Error('unreachable');
      return { ...process, end: new Promise(() => {}), kill: () => {} };
    };
    const slept: number[] = [];
    const clock = {
      now: () => new Date(0),
      monotonicMs: () => 0,
      sleep: async (ms: number, signal: AbortSignal) => {
        slept.push(ms);
        await delay(ms / 50, undefined, { signal });
      },
    };
    const scene = await startScene({ s: raw({}, { startup_timeout_secs: 120 }) }, { startProcess: immortal, clock });
    slept.length = 0;
    await scene.close();
    expect(Math.max(...slept)).toBeLessThanOrEqual(5_000);
    remove();
  });
});
