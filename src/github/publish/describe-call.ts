// A tool call in the words of somebody who watches: what is being done, and what was. Pure; arguments are the model's and may be anything.
import { argumentsOf, type ToolCall } from '../../schema/message.ts';
import { inlineCode } from './inline-code.ts';

/** `verb` and `past` begin with a capital; `object` is Markdown and may be empty. */
export interface CallWords {
  readonly verb: string;
  readonly past: string;
  readonly object: string;
}

/** `place`: the argument that says where, beside what. */
const words: Readonly<Record<string, readonly [verb: string, past: string, argument: string, place?: string]>> = {
  bash: ['Running', 'Ran', 'command'],
  read_file: ['Reading', 'Read', 'path'],
  write_file: ['Writing', 'Wrote', 'path'],
  edit_file: ['Editing', 'Edited', 'path'],
  glob: ['Looking for', 'Looked for', 'pattern', 'path'],
  grep: ['Searching for', 'Searched for', 'pattern', 'path'],
  use_skill: ['Opening the skill', 'Used the skill', 'skill_name'],
  add_review_comment: ['Noting a finding in', 'Noted a finding in', 'path'],
  task: ['Asking the agent', 'Asked the agent', 'agent'],
};

const maxObjectChars = 80;

/** `mcp__tracker__search`: no server has two underscores in the middle of its name there (mcp/tool-names.ts). */
const ofServer = /^mcp__(.+?)__(.+)$/s;

function describeTool(name: string): string {
  const [, server, tool] = ofServer.exec(name) ?? [];
  if (server === undefined || tool === undefined) return inlineCode(name, maxObjectChars);
  return `${inlineCode(tool, maxObjectChars)} of ${inlineCode(server, maxObjectChars)}`;
}

/** The words for a call; null for a call that is not worth a line (the to-do list is shown itself, as the engine tells it). */
export function describeCall(call: ToolCall): CallWords | null {
  if (call.name === 'todo_write') return null;
  const known = words[call.name];
  if (known === undefined) return { verb: 'Using', past: 'Used', object: describeTool(call.name) };
  const [verb, past, argument, place] = known;
  const given = argumentsOf(call) ?? {};
  const object = toCode(given[argument]);
  const where = place === undefined || object === '' ? '' : toCode(given[place]);
  return { verb, past, object: where === '' ? object : `${object} in ${where}` };
}

function toCode(value: unknown): string {
  return typeof value === 'string' && value !== '' ? inlineCode(value, maxObjectChars) : '';
}
