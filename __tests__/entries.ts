// Where build-entries.mjs puts the entries that tests start as processes.
import path from 'node:path';

export function entryOf(process: 'cli' | 'tool-host'): string {
  return path.join(import.meta.dirname, '../node_modules/.cache/entries', process, 'index.js');
}
