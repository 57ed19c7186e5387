// Loads Node's SQLite when it is first needed, without its warning. Opens nothing.

/**
 * `node:sqlite`. The earlier releases of Node 24 say once, at loading, that it is experimental; which is for us to weigh and not for
 * those who run us to read. Loading is synchronous, so nobody else's warning can fall into the moment.
 */
export function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
