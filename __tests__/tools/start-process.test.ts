import { existsSync, rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { RunningProcess, StartProcess } from '../../src/schema/running-process.ts';
import { isGroupAlive } from '../../src/tools/process-group.ts';
import { createProcessStarter } from '../../src/tools/start-process.ts';
import { never, readLines, until } from '../sandbox/running.ts';
import { useWorkspace } from './workspace.ts';

const workspace = useWorkspace();
const lifetimes: AbortController[] = [];
afterEach(() => {
  for (const lifetime of lifetimes.splice(0)) lifetime.abort();
});

function createStarter(): { start: (script: string, signal?: AbortSignal) => RunningProcess; lifetime: AbortController } {
  const lifetime = new AbortController();
  lifetimes.push(lifetime);
  const env = { PATH: process.env.PATH ?? '', BASE: 'base', BOTH: 'base' };
  const startProcess: StartProcess = createProcessStarter({ workDir: workspace().dir, env, lifetime: lifetime.signal });
  return {
    start: (script, signal = never) => startProcess({ argv: ['sh', '-c', script], env: { BOTH: 'request' } }, signal),
    lifetime,
  };
}

describe('createProcessStarter', () => {
  test('adds the environment of the request to its own', async () => {
    const running = createStarter().start('echo $BASE $BOTH');
    expect([await text(running.stdout), await running.end]).toEqual(['base request\n', { kind: 'exit', code: 0 }]);
  });

  test('the end does not wait for a reader, and what was written stays to be read, up to what a pipe holds', async () => {
    const running = createStarter().start('head -c 100000 /dev/zero; echo >&2');
    expect(await running.end).toEqual({ kind: 'exit', code: 0 });
    expect((await text(running.stdout)).length).toBe(100_000);
  });

  test('a process that is not read waits at its pipe', async () => {
    const running = createStarter().start('head -c 10000000 /dev/zero; echo over >&2');
    const marker = Symbol('waits');
    expect(await Promise.race([running.end, delay(300, marker)])).toBe(marker);
    expect([(await text(running.stdout)).length, await running.end]).toEqual([10_000_000, { kind: 'exit', code: 0 }]);
  });

  test('the last words of a child that outlives it by a moment are in', async () => {
    const running = createStarter().start('(while kill -0 $$; do :; done 2>/dev/null; echo late) & echo early');
    expect([await text(running.stdout), await running.end]).toEqual(['early\nlate\n', { kind: 'exit', code: 0 }]);
  });

  test('G5-01 a flood of a child in a session of its own is neither waited for nor kept', async () => {
    const { start, lifetime } = createStarter();
    const running = start('setsid sh -c "echo \\$\\$ >&2; exec yes" & sleep 0.2');
    const group = await text(running.stderr);
    expect(await running.end).toEqual({ kind: 'exit', code: 0 });
    expect((await text(running.stdout)).length).toBeLessThan(3_000_000);
    // It goes on: its pipe is emptied.
    expect(isGroupAlive(Number(group))).toBe(true);
    process.kill(-Number(group), 'SIGKILL');
    lifetime.abort();
  });

  test('dies at once with the lifetime, with all of its group; nothing starts afterwards', async () => {
    const { start, lifetime } = createStarter();
    const running = start("trap '' TERM; (trap '' TERM; sleep 350) & echo $$; wait; sleep 351");
    const [group = ''] = await readLines(running.stdout, 1);
    lifetime.abort();
    expect(await running.end).toEqual({ kind: 'signal', signal: 'SIGKILL' });
    await until(() => !isGroupAlive(Number(group)));
    expect(await start('echo').end).toEqual({ kind: 'failed', reason: 'it was cancelled before it began' });
  });

  test('what it started has the same grace before a kill, when it has gone already', async () => {
    const { start } = createStarter();
    // It holds no pipe, so that nothing but the kill is waited for.
    const tidy = "trap 'sleep 0.1; touch tidy; exit' TERM; echo up; exec <&- >&- 2>&-; while :; do sleep 0.02; done";
    const running = start(`sh -c "${tidy}" & wait`);
    await readLines(running.stdout, 1);
    running.kill();
    expect(await running.end).toEqual({ kind: 'signal', signal: 'SIGTERM' });
    expect(existsSync(workspace().at('tidy'))).toBe(true);
  });

  test('its signal ends it; a signal that fell before lets nothing begin', async () => {
    const { start } = createStarter();
    const controller = new AbortController();
    const running = start('echo $$; exec sleep 352', controller.signal);
    await readLines(running.stdout, 1);
    controller.abort();
    expect(await running.end).toEqual({ kind: 'signal', signal: 'SIGTERM' });
    expect((await start('echo', controller.signal).end).kind).toBe('failed');
  });

  test('G5-20 says that the workspace is gone, instead of blaming the program', async () => {
    const { start } = createStarter();
    rmSync(workspace().dir, { recursive: true });
    expect(await start('echo').end).toEqual({
      kind: 'failed',
      reason: `the workspace ${workspace().dir} does not exist any more`,
    });
  });
});
