// A task of an issue with nothing on it, for tests of what is written of one; each changes what it is about.
import type { Task } from '../../src/schema/task.ts';

export const plainTask: Task = {
  version: 1,
  trust: 'mixed',
  repository: 'o/r',
  thread: { kind: 'issue', number: 12, url: 'https://github.com/o/r/issues/12', state: 'open' },
  mode: 'act',
  language: 'auto',
  alsoAnswered: 0,
  failedCheck: null,
  instruction: { text: 'Fix it.', command: null, requester: 'mona' },
  delivery: 'pull_request',
  items: [],
  omitted: [],
};
