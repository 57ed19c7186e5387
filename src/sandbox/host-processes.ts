// The processes in one life of a tool host, by id: asked for, heard of, and over when the host is.
import type { ProcessRequest } from '../schema/running-process.ts';
import type { HostLine } from './host-line.ts';
import type { ProcessNews, ToHost } from './protocol.ts';
import { maxLineChars } from './protocol.ts';
import type { RemoteProcess } from './remote-process.ts';

export interface HostProcesses {
  /** Has the host start `process` as soon as it works; where it cannot, the process ends with the reason. */
  start(process: RemoteProcess, request: ProcessRequest): Promise<void>;
  /** News of a process that was never asked for, or has ended, is passed over. */
  take(news: ProcessNews): void;
  /** From now on the end of the host is what was wanted. */
  close(): void;
}

/** None is there before the first `start`. */
export function createHostProcesses({ ready, gone, send }: HostLine): HostProcesses {
  const running = new Map<number, RemoteProcess>();
  let lastId = 0;
  let isClosing = false;
  let endedBy: string | undefined;
  const lost = (how: string) => (isClosing ? 'the tool host was closed' : `the tool host ended (${how})`);
  void gone.then((how) => {
    endedBy = how;
    for (const process of running.values()) process.fail(lost(how));
  });
  return {
    start: async (process, { argv, env = {} }) => {
      const hindrance = (await ready) ?? endedBy;
      if (process.isOver) return;
      if (hindrance !== undefined) return process.fail(lost(hindrance));
      lastId += 1;
      const id = lastId;
      const order: ToHost = { type: 'process_start', id, argv, env };
      if (JSON.stringify(order).length > maxLineChars) return process.fail('its command line and environment are too long');
      running.set(id, process);
      void process.end.then(() => running.delete(id));
      send(order);
      process.begin({
        sendInput: (piece) => send({ type: 'process_input', id, data: piece.toString('base64') }),
        endInput: () => send({ type: 'process_input_end', id }),
        kill: () => send({ type: 'process_kill', id }),
      });
    },
    take: (news) => {
      const process = running.get(news.id);
      switch (news.type) {
        case 'process_output':
          process?.takeOutput(news.stream, Buffer.from(news.data, 'base64'));
          return;
        case 'process_input_taken':
          process?.takeInputTaken();
          return;
        case 'process_end':
          process?.finish(news.end);
          return;
      }
    },
    close: () => {
      isClosing = true;
    },
  };
}
