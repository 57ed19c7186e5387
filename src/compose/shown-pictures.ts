// Which pictures a conversation that goes on shows already: they need not be sent twice. Changes nothing.
import type { StoredSession } from '../memory/stored-session.ts';

/** The data of the pictures in what is left of the conversation; not of those that a summary stands for. */
export async function loadShownPictures(
  session: Pick<StoredSession, 'getMessages' | 'getCheckpoint'> | undefined,
): Promise<ReadonlySet<string>> {
  const [messages = [], checkpoint] = await Promise.all([session?.getMessages(0), session?.getCheckpoint()]);
  const left = messages.slice(checkpoint?.coversMessages ?? 0);
  return new Set(left.flatMap(({ content }) => content.flatMap((part) => (part.type === 'image' ? [part.data] : []))));
}
