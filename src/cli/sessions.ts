// `harness9 sessions`: lists, shows, searches, tags, shortens and deletes the conversations that were kept. Runs no model.
import { composeOutgoing } from '../compose/outgoing.ts';
import { keysOf } from '../compose/terminal-environment.ts';
import { openTerminalSessions, type SessionStore, type StoredSession } from '../compose/terminal-sessions.ts';
import { isComment, type Message } from '../schema/message.ts';
import type { World } from '../schema/world.ts';
import { openKnown } from './conversation.ts';
import { renderJson, renderText } from './harmless.ts';
import { renderConversation, renderHits, renderRemoved, renderSessions } from './render-sessions.ts';
import type { SessionsCommand, SessionsOptions } from './sessions-arguments.ts';
import { findWorkDir } from './work-dir.ts';

/** What came of a command: for scripts, and for people. */
interface Outcome {
  readonly json: unknown;
  readonly text: string;
}

/** Carries the command out and returns the exit code. Throws SESSION_STORE_… and SESSION_UNKNOWN. */
export async function runSessions(options: SessionsOptions, world: World, here: string | null): Promise<number> {
  const workspace = await findWorkDir(options.cwd, here);
  const { redactor, log } = composeOutgoing(world, keysOf(world.env));
  const outward = { env: world.env, redact: redactor.outward };
  const store = await openTerminalSessions(world, log);
  try {
    const { json, text } = await carryOut(options.command, store, workspace);
    world.stdout(`${options.format === 'json' ? renderJson(json, outward) : renderText(text, outward)}\n`);
    return 0;
  } finally {
    store.close();
  }
}

async function carryOut(command: SessionsCommand, store: SessionStore, workspace: string): Promise<Outcome> {
  switch (command.name) {
    case 'list': {
      const { all, tag } = command;
      const sessions = await store.list({ ...(all ? {} : { workspace }), ...(tag === null ? {} : { tag }) });
      return { json: { sessions }, text: renderSessions(sessions, { workspace: all ? null : workspace, tag }) };
    }
    case 'search': {
      const hits = await store.search(command.words, command.all ? {} : { workspace });
      return { json: { hits }, text: renderHits(hits, command.all ? null : workspace) };
    }
    default:
      return await carryOutOnOne(command, store, await openKnown(store, command.id));
  }
}

async function carryOutOnOne(
  command: Exclude<SessionsCommand, { name: 'list' | 'search' }>,
  store: SessionStore,
  session: StoredSession,
): Promise<Outcome> {
  const { id } = session;
  switch (command.name) {
    case 'show':
      return await show(store, session);
    case 'tag': {
      await store.setTags(id, command.tags);
      const tags = (await store.info(id))?.tags ?? [];
      return {
        json: { session: id, tags },
        text: tags.length === 0 ? `${id} has no tags` : `${id} has the tags ${tags.join(', ')}`,
      };
    }
    case 'pop': {
      const removed = await popExchange(session);
      return { json: { session: id, removed }, text: renderRemoved(id, removed) };
    }
    case 'clear':
      await session.clear();
      return { json: { session: id }, text: `${id} is empty` };
    case 'delete':
      await store.delete(id);
      return { json: { session: id }, text: `${id} is deleted` };
  }
}

async function show(store: SessionStore, session: StoredSession): Promise<Outcome> {
  const info = await store.info(session.id);
  const content = {
    messages: await session.getMessages(0),
    todos: await session.getTodos(),
    plan: (await session.getPlan()) ?? null,
    checkpoint: (await session.getCheckpoint()) ?? null,
  };
  return { json: { session: info ?? { id: session.id }, ...content }, text: renderConversation(info, content) };
}

/** Takes messages out down to the last one that a person wrote, and returns them in their order. */
async function popExchange(session: StoredSession): Promise<readonly Message[]> {
  const removed: Message[] = [];
  for (;;) {
    const message = await session.popMessage();
    if (message === undefined) return removed;
    removed.unshift(message);
    if (isComment(message)) return removed;
  }
}
