// The history of one run: append-only, saved after every turn, never the system prompt; and its newest checkpoint.
import type { Message } from '../schema/message.ts';
import type { Checkpoint } from '../schema/session.ts';
import type { NotedCall, Trouble } from './noted-calls.ts';
import { withCalls, withFreeId } from './own-calls.ts';
import type { Session } from './ports.ts';

const unreadable: Trouble = {
  code: 'session_load_failed',
  text: 'The earlier conversation could not be read, so this run began without it',
};
const unreadableCheckpoint: Trouble = {
  code: 'session_load_failed',
  text: 'The summary of the earlier conversation could not be read, so this run began with all of it',
};
const unsaved: Trouble = { code: 'session_save_failed', text: 'A part of this conversation could not be saved' };

export class History {
  readonly #session: Session | undefined;
  readonly #call: NotedCall;
  readonly #callIds = new Set<string>();
  #messages: Message[] = [];
  #savedCount = 0;
  #checkpoint: Checkpoint | undefined;
  #unsavedCheckpoint: Checkpoint | undefined;
  #isWhole = true;
  #saving: Promise<void> | undefined;

  constructor(session: Session | undefined, call: NotedCall) {
    this.#session = session;
    this.#call = call;
  }

  /** Begins with what the session holds, as it is stored: a checkpoint counts stored messages. With nothing when it cannot be read. */
  async load(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    const stored = await this.#call(unreadable, async () => (await session.getMessages(0)).filter(isStorable));
    this.#isWhole = stored !== undefined;
    if (stored === undefined) return;
    this.#messages = stored.value;
    this.#savedCount = stored.value.length;
    for (const message of stored.value) for (const call of message.toolCalls ?? []) this.#callIds.add(call.id);
    const checkpoint = (await this.#call(unreadableCheckpoint, () => session.getCheckpoint?.()))?.value ?? undefined;
    // One that covers more than there is belongs to another history.
    if (checkpoint !== undefined && checkpoint.coversMessages <= stored.value.length) this.#checkpoint = checkpoint;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get checkpoint(): Checkpoint | undefined {
    return this.#checkpoint;
  }

  /** Appends and saves what is not saved yet; after a failure the next save tries all of it again. */
  async append(...messages: readonly Message[]): Promise<void> {
    this.#messages.push(...messages);
    await this.#save();
  }

  /** Takes over a new checkpoint and saves it, after the messages that it covers. */
  async keepCheckpoint(checkpoint: Checkpoint): Promise<void> {
    this.#checkpoint = checkpoint;
    // Behind messages that could not be read it would count the wrong ones.
    if (this.#isWhole) this.#unsavedCheckpoint = checkpoint;
    await this.#save();
  }

  async #save(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    while (this.#savedCount < this.#messages.length) {
      // One that took too long may still succeed: the same messages given again would be there twice.
      this.#saving ??= this.#addMessages(session).finally(() => {
        this.#saving = undefined;
      });
      const saving = this.#saving;
      if ((await this.#call(unsaved, () => saving)) === undefined) return;
    }
    const checkpoint = this.#unsavedCheckpoint;
    if (checkpoint === undefined) return;
    const saved = await this.#call(unsaved, () => session.saveCheckpoint?.(checkpoint));
    if (saved !== undefined) this.#unsavedCheckpoint = undefined;
  }

  async #addMessages(session: Session): Promise<void> {
    const messages = this.#messages.slice(this.#savedCount);
    await session.addMessages(messages);
    this.#savedCount += messages.length;
  }

  /** The message with calls whose ids no other call of this history has; some servers send none, or the same one again. */
  withOwnIds(message: Message): Message {
    return withCalls(message, (call) => withFreeId(call, this.#callIds));
  }
}

function isStorable(message: Message): boolean {
  return message.role !== 'system';
}
