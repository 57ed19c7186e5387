// The conversation that a run goes on with or begins: found, made, and let go of at the end. What is said in it is the engine's.
import { openTerminalSessions, type SessionStore, type StoredSession } from '../compose/terminal-sessions.ts';
import { Harness9Error, messageOf } from '../schema/error.ts';
import type { Log, World } from '../schema/world.ts';
import type { SessionWish } from './print-arguments.ts';

export interface Conversation {
  /** undefined: nothing of this run is kept. */
  readonly session: StoredSession | undefined;
  /** Closes the store; a conversation that got no message is forgotten. Returns the id under which it can be gone on with. */
  readonly end: () => Promise<string | undefined>;
}

interface Place {
  /** The real path of the working directory. */
  readonly workspace: string;
  readonly world: World;
  readonly log: Log;
  /** Tells the user. */
  readonly say: (line: string) => void;
}

const unkept: Conversation = { session: undefined, end: async () => undefined };

/**
 * Opens what `wish` asks for. A new conversation that cannot be kept is a warning, and the run goes on without. Throws SESSION_STORE_…
 * when an earlier one is asked for, SESSION_UNKNOWN and SESSION_NONE when there is none.
 */
export async function openConversation(wish: SessionWish, place: Place): Promise<Conversation> {
  if (wish.kind === 'none') return unkept;
  try {
    return await openIn(await openTerminalSessions(place.world, place.log), wish, place);
  } catch (error) {
    if (wish.kind !== 'new') throw error;
    place.log(`[session] warning=not_kept error=${messageOf(error)}`);
    return unkept;
  }
}

async function openIn(store: SessionStore, wish: SessionWish, place: Place): Promise<Conversation> {
  try {
    const earlier = await findEarlier(store, wish, place);
    const session = earlier ?? (await store.create(place.workspace));
    return { session, end: () => endConversation(session, earlier === undefined, store) };
  } catch (error) {
    store.close();
    throw error;
  }
}

async function findEarlier(store: SessionStore, wish: SessionWish, place: Place): Promise<StoredSession | undefined> {
  if (wish.kind === 'new' || wish.kind === 'none') return undefined;
  if (wish.kind === 'resume' && wish.id !== null) return await openById(store, wish.id, place);
  const newest = await store.newest(place.workspace);
  if (newest !== undefined) return await store.open(newest.id);
  if (wish.kind === 'resume') {
    throw new Harness9Error({
      code: 'SESSION_NONE',
      message: `there is no session of ${place.workspace}`,
      hint: 'harness9 sessions --all lists those of every folder.',
    });
  }
  place.say(`there is no earlier session of ${place.workspace}: a new one begins`);
  return undefined;
}

async function openById(store: SessionStore, id: string, { workspace, say }: Place): Promise<StoredSession> {
  const session = await openKnown(store, id);
  const info = await store.info(session.id);
  if (info !== undefined && info.workspace !== workspace) say(`session ${session.id} was begun in ${info.workspace}`);
  return session;
}

/** The session with this id, or whose id begins so. Throws SESSION_UNKNOWN, naming it. */
export async function openKnown(store: SessionStore, id: string): Promise<StoredSession> {
  const session = await store.open(id);
  if (session !== undefined) return session;
  throw new Harness9Error({
    code: 'SESSION_UNKNOWN',
    message: `there is no session "${id}"`,
    hint: 'harness9 sessions --all lists all that there are.',
  });
}

async function endConversation(session: StoredSession, isNew: boolean, store: SessionStore): Promise<string | undefined> {
  try {
    if (!isNew || (await session.getMessages(1)).length > 0) return session.id;
    await store.delete(session.id);
    return undefined;
  } finally {
    store.close();
  }
}
