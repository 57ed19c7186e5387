// The tool host's side of processes: starts them, carries their streams to the main process, tells their end. How one is started is a port.
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningProcess, StartProcess } from '../schema/running-process.ts';
import type { FromHost, ProcessNews, ProcessOrder } from './protocol.ts';
import { piecesOf } from './protocol.ts';

/** Over the grace that a process has, under the time that the main process has for us. One that lives on is not ours to kill. */
const closeTimeoutMs = 4000;

/** The way to the main process. */
export interface HostOutput {
  send(message: FromHost): void;
  /** Resolves when the main process has taken so much of what was sent that more may follow. */
  room(): Promise<void>;
}

export interface ProcessServer {
  /** What is said of a process that has ended, or never was, is passed over. */
  take(order: ProcessOrder): void;
  /** Ends every process and resolves when all have ended, or will not. Nobody is told: whoever would be has gone. */
  close(): Promise<void>;
}

/** Serves processes over `output`; none is there before the first order. */
export function createProcessServer(startProcess: StartProcess, output: HostOutput): ProcessServer {
  const closing = new AbortController();
  const running = new Map<number, RunningProcess>();
  const serve = async ({ id, argv, env }: Extract<ProcessOrder, { type: 'process_start' }>): Promise<void> => {
    const process = startProcess({ argv, env }, closing.signal);
    running.set(id, process);
    // A stream that breaks has said what it had to say.
    await Promise.allSettled([
      carry(process.stdout, output, { id, stream: 'stdout' }),
      carry(process.stderr, output, { id, stream: 'stderr' }),
    ]);
    const end = await process.end;
    running.delete(id);
    if (!closing.signal.aborted) output.send({ type: 'process_end', id, end });
  };
  return {
    take: (order) => {
      if (order.type === 'process_start') void serve(order);
      else obey(order, { process: running.get(order.id), output });
    },
    close: async () => {
      closing.abort();
      const ended = Promise.all([...running.values()].map(({ end }) => end));
      await Promise.race([ended, delay(closeTimeoutMs, undefined, { ref: false })]);
    },
  };
}

function obey(
  order: Exclude<ProcessOrder, { type: 'process_start' }>,
  { process, output }: { readonly process: RunningProcess | undefined; readonly output: HostOutput },
): void {
  switch (order.type) {
    case 'process_input':
      // Taken or lost for ever: in both cases the next may come.
      process?.stdin.write(Buffer.from(order.data, 'base64'), () => {
        output.send({ type: 'process_input_taken', id: order.id });
      });
      return;
    case 'process_input_end':
      process?.stdin.end();
      return;
    case 'process_kill':
      process?.kill();
      return;
  }
}

/** At the pace of the main process: what it does not take stays in the pipe of the process. */
async function carry(
  from: Readable,
  output: HostOutput,
  of: Pick<Extract<ProcessNews, { type: 'process_output' }>, 'id' | 'stream'>,
): Promise<void> {
  for await (const chunk of from) {
    for (const piece of piecesOf(chunk)) {
      await output.room();
      output.send({ type: 'process_output', ...of, data: piece.toString('base64') });
    }
  }
}
