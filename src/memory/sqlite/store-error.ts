// What a failure of SQLite or of its file means to us, by its number. Opens nothing.
import { z } from 'zod';
import { Harness9Error } from '../../schema/error.ts';

// The primary result codes of SQLite that are not about the file itself.
const busyCodes: readonly number[] = [5, 6];
const fullCode = 13;

/** Node's error for a result code of SQLite; the lower eight bits are the primary code. */
const sqliteErrorSchema = z.object({ errcode: z.number() });

/** The error to throw for one that working on the database at `file` has thrown; what is neither SQLite's nor the data's stays itself. */
export function storeErrorOf(file: string, error: unknown): unknown {
  if (error instanceof z.ZodError) return unreadable(file, 'what it holds is not of this form', error);
  const parsed = sqliteErrorSchema.safeParse(error);
  if (!parsed.success) return error;
  const primary = parsed.data.errcode & 0xff;
  if (busyCodes.includes(primary)) {
    return new Harness9Error({
      code: 'SESSION_STORE_BUSY',
      message: `The session store ${file} is held by another process`,
      hint: 'Wait for it, or end it.',
      cause: error,
    });
  }
  if (primary === fullCode) {
    return new Harness9Error({
      code: 'SESSION_STORE_FULL',
      message: `There is no room to write to the session store ${file}`,
      hint: 'Free space on its disk.',
      cause: error,
    });
  }
  return unreadable(file, 'it is damaged, no database, or may not be read and written', error);
}

/** `why` is the rest of a sentence that ends in the reason. */
export function unreadable(file: string, why: string, cause?: unknown): Harness9Error {
  return new Harness9Error({
    code: 'SESSION_STORE_UNREADABLE',
    message: `The session store ${file} cannot be used: ${why}`,
    hint: 'Move it away to begin a new one, or name another file.',
    cause,
  });
}

/** Of what is done to a session that is not there, or not any more. */
export function gone(id: string): Harness9Error {
  return new Harness9Error({
    code: 'SESSION_GONE',
    message: `There is no session ${id}`,
    hint: 'List the sessions, or begin a new one.',
  });
}
