// What a conversation that goes on shows already: pictures need not be sent twice, and texts may have changed since. Changes nothing.
import type { StoredSession } from '../memory/stored-session.ts';
import { textsIn } from '../prompt/render-changes.ts';

/** The data of the pictures in what is left of the conversation; not of those that a summary stands for. */
export async function loadShownPictures(
  session: Pick<StoredSession, 'getMessages' | 'getCheckpoint'> | undefined,
): Promise<ReadonlySet<string>> {
  const [messages = [], checkpoint] = await Promise.all([session?.getMessages(0), session?.getCheckpoint()]);
  const left = messages.slice(checkpoint?.coversMessages ?? 0);
  return new Set(left.flatMap(({ content }) => content.flatMap((part) => (part.type === 'image' ? [part.data] : []))));
}

/** Whose texts all of the conversation shows, as `textsIn` names them. */
export async function loadShownTexts(session: Pick<StoredSession, 'getMessages'> | undefined): Promise<ReadonlySet<string>> {
  const messages = (await session?.getMessages(0)) ?? [];
  const told = messages.filter(({ role }) => role === 'user').flatMap(({ content }) => content);
  return new Set(told.flatMap((part) => (part.type === 'text' ? textsIn(part.text) : [])));
}
