// The history of one run: append-only, saved after every turn, never the system prompt. A session that fails is noted, never fatal.
import { messageOf } from '../schema/error.ts';
import type { Message, ToolCall } from '../schema/message.ts';
import type { Clock, Log } from '../schema/world.ts';
import { startTimer, untilAborted } from './abort.ts';
import type { RepairHistory, Session } from './ports.ts';

/** What goes wrong with the session, in words for people. */
export type Note = (text: string) => void;

/** A store that does not answer must not hold the run's end up; what is saved here takes milliseconds. */
const storeLimitMs = 10_000;

interface HistoryPorts {
  readonly session: Session | undefined;
  readonly clock: Clock;
  readonly repair: RepairHistory;
  readonly log: Log;
  readonly note: Note;
}

export class History {
  readonly #ports: HistoryPorts;
  readonly #callIds = new Set<string>();
  #messages: Message[] = [];
  #savedCount = 0;

  constructor(ports: HistoryPorts) {
    this.#ports = ports;
  }

  /** Begins with what the session holds, made valid; with nothing when it cannot be read. */
  async load(): Promise<void> {
    const { session, repair } = this.#ports;
    if (session === undefined) return;
    try {
      const stored = await inTime(this.#ports.clock, session.getMessages(0));
      this.#messages = [...repair(stored.filter((message) => message.role !== 'system'))];
    } catch (error) {
      report(
        this.#ports,
        'session_load_failed',
        'The earlier conversation could not be read, so this run began without it',
        error,
      );
    }
    this.#savedCount = this.#messages.length;
    for (const message of this.#messages) for (const call of message.toolCalls ?? []) this.#callIds.add(call.id);
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Appends and saves what is not saved yet; after a failure the next save tries all of it again. */
  async append(...messages: readonly Message[]): Promise<void> {
    this.#messages.push(...messages);
    const unsaved = this.#messages.slice(this.#savedCount);
    if (this.#ports.session === undefined || unsaved.length === 0) return;
    try {
      await inTime(this.#ports.clock, this.#ports.session.addMessages(unsaved));
      this.#savedCount += unsaved.length;
    } catch (error) {
      report(this.#ports, 'session_save_failed', 'A part of this conversation could not be saved', error);
    }
  }

  /** The message with calls whose ids no other call of this history has; some servers send none, or the same one again. */
  withOwnIds(message: Message): Message {
    const calls = message.toolCalls ?? [];
    const own = calls.map((call) => this.#withOwnId(call));
    return own.every((call, index) => call === calls[index]) ? message : { ...message, toolCalls: own };
  }

  #withOwnId(call: ToolCall): ToolCall {
    const id = this.#freeId(call.id === '' ? 'call' : call.id);
    this.#callIds.add(id);
    return id === call.id ? call : { ...call, id };
  }

  #freeId(wanted: string): string {
    if (!this.#callIds.has(wanted)) return wanted;
    let count = 2;
    while (this.#callIds.has(`${wanted}_${count}`)) count += 1;
    return `${wanted}_${count}`;
  }
}

async function inTime<T>(clock: Clock, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  try {
    return await untilAborted(work, startTimer(clock, storeLimitMs, done.signal));
  } finally {
    done.abort();
  }
}

function report({ log, note }: HistoryPorts, code: string, text: string, error: unknown): void {
  const message = messageOf(error);
  log(`warning=${code} error=${message}`);
  note(`${text}: ${message}`);
}
