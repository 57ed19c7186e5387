// What other harnesses call our tools and their fields: only what means exactly the same. Data.

/** Tools: what models of other harnesses were trained to say (G6-25). Left: lower case, without separators. */
export const toolAliases: Readonly<Record<string, string>> = {
  shell: 'bash',
  sh: 'bash',
  terminal: 'bash',
  runcommand: 'bash',
  runterminalcmd: 'bash',
  runinterminal: 'bash',
  runshellcommand: 'bash',
  execcommand: 'bash',
  executecommand: 'bash',
  executebash: 'bash',
  read: 'read_file',
  view: 'read_file',
  viewfile: 'read_file',
  viewimage: 'read_file',
  cat: 'read_file',
  openfile: 'read_file',
  write: 'write_file',
  writetofile: 'write_file',
  createfile: 'write_file',
  createnewfile: 'write_file',
  edit: 'edit_file',
  multiedit: 'edit_file',
  strreplace: 'edit_file',
  strreplacefile: 'edit_file',
  searchreplace: 'edit_file',
  singlefindandreplace: 'edit_file',
  replace: 'edit_file',
  replaceinfile: 'edit_file',
  replacestringinfile: 'edit_file',
  todowrite: 'todo_write',
  skill: 'use_skill',
  findfiles: 'glob',
  globsearch: 'glob',
  globfilesearch: 'glob',
  filesearch: 'glob',
  search: 'grep',
  grepsearch: 'grep',
  searchfilecontent: 'grep',
  ripgrep: 'grep',
  rg: 'grep',
  searchfiles: 'grep',
  searchtext: 'grep',
  findinfiles: 'grep',
};

const listing = { instead: 'read_file', hint: 'read_file of a directory lists it.' };
const editing = { instead: 'edit_file', hint: 'edit_file changes text, one edit a call.' };

/** What to call where a tool of another harness is none here. Left: as above. `instead`: the tool that must be there then. */
export const foreignTools: Readonly<Record<string, { readonly instead: string; readonly hint: string }>> = {
  ...{ ls: listing, listdir: listing, listdirectory: listing, listfiles: listing },
  ...{ applypatch: editing, applydiff: editing, strreplaceeditor: editing, strreplacebasededittool: editing },
};

/** Fields. Left: snake case. Only used where the right one is a field of the tool and was not given. */
export const fieldAliases: Readonly<Record<string, string>> = {
  cmd: 'command',
  script: 'command',
  command_line: 'command',
  timeout_seconds: 'timeout_secs',
  timeout_sec: 'timeout_secs',
  file_path: 'path',
  filepath: 'path',
  file: 'path',
  filename: 'path',
  file_name: 'path',
  absolute_path: 'path',
  relative_path: 'path',
  target_file: 'path',
  line_offset: 'offset',
  n_lines: 'limit',
  num_lines: 'limit',
  max_lines: 'limit',
  old_str: 'old_string',
  old_text: 'old_string',
  old_content: 'old_string',
  old: 'old_string',
  source_text: 'old_string',
  new_str: 'new_string',
  new_text: 'new_string',
  new_content: 'new_string',
  new: 'new_string',
  target_text: 'new_string',
  file_text: 'content',
  file_content: 'content',
  contents: 'content',
  text: 'content',
  query: 'pattern',
  regex: 'pattern',
  regexp: 'pattern',
  search_pattern: 'pattern',
  glob_pattern: 'pattern',
  directory: 'path',
  dir: 'path',
  dir_path: 'path',
  target_directory: 'path',
  include: 'glob',
  file_pattern: 'glob',
  include_pattern: 'glob',
  case_insensitive: 'ignore_case',
  '-i': 'ignore_case',
  context_lines: 'context',
  '-c': 'context',
  files_with_matches: 'files_only',
  head_limit: 'max_results',
  max_matches: 'max_results',
  skill: 'skill_name',
  name: 'skill_name',
  subagent_type: 'agent',
  agent_type: 'agent',
  run_in_background: 'background',
};

/** Talk beside the call that some models are used to add; it changes nothing, so it is dropped. */
export const chatterFields: ReadonlySet<string> = new Set([
  'description',
  'explanation',
  'instruction',
  'instructions',
  'reason',
  'toolSummary',
  'toolAction',
]);

/** Fields that are dropped with these values, since that is what happens anyway. */
export const idleValues: Readonly<Record<string, readonly unknown[]>> = {
  expected_replacements: [1],
  encoding: ['utf-8', 'utf8', 'UTF-8'],
  output_mode: ['content'],
  '-n': [true],
  multiline: [false],
};

const oneEdit = { instead: 'old_string', hint: 'one edit a call: give old_string and new_string, and call once for each edit' };
const asTexts = { instead: 'old_string', hint: 'give the text to replace as old_string and the new text as new_string' };
const asPage = { instead: 'offset', hint: 'give offset, the first line, and limit, how many lines' };
const around = { instead: 'context', hint: 'give context, for lines before and after' };

/** What to do where a field of another harness is none here. `instead`: the fields that the tool has then. */
export const foreignFields: Readonly<Record<string, { readonly instead: string; readonly hint: string }>> = {
  edits: oneEdit,
  replacements: oneEdit,
  diff: asTexts,
  patch: asTexts,
  code_edit: asTexts,
  insert_line: { instead: 'old_string', hint: 'to insert, replace a line by itself and the new ones' },
  expected_replacements: { instead: 'replace_all', hint: 'to replace every occurrence set replace_all' },
  start_line: asPage,
  end_line: asPage,
  view_range: asPage,
  timeout: { instead: 'timeout_secs', hint: 'give timeout_secs, in seconds' },
  output_mode: { instead: 'files_only', hint: 'for the files alone, with their counts, set files_only' },
  '-a': around,
  '-b': around,
  type: { instead: 'glob', hint: 'give glob, as in *.ts' },
  multiline: { instead: 'ignore_case', hint: 'lines are searched one by one' },
};
