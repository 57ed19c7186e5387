// Redirects and here-documents: which files the shell opens, and where the text of a document really begins and ends.
import type { HereDoc, Redirect, Redirection, Word } from 'unbash';
import { readHoles } from './expansion.ts';
import { isProcess, readPart } from './read-word.ts';
import { scanWord } from './scan-word.ts';
import { type Doubt, unreadable } from './step.ts';
import { isName } from './variables.ts';
import { addDoubt, type Walk } from './walk.ts';

/** Opening these does nothing to any file. `/dev/tcp/…` is a connection, and not among them. */
const harmlessFiles = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|fd\/\d+)$/;

export function readRedirection(redirection: Redirection, walk: Walk): void {
  const { pos, end, descriptor } = redirection;
  const text = walk.source.slice(pos, end);
  walk.leaves.push({ pos, end, kind: descriptor === undefined ? 'redirect' : 'numbered' });
  if (descriptor?.type === 'FileDescriptorVariable') {
    addDoubt(walk, text, { level: isName(descriptor.name) ? 'uncovered' : 'anything', why: 'it sets a variable' });
  }
  const written = /^(?:\d+|\{[^{}]*\})?(<<-|<<<|<<|<>|<&|>&|>\||>>|&>>|&>|<|>)/.exec(text)?.[1];
  const isWritten = written === redirection.operator;
  const doubt = isWritten ? readWithin(redirection, text, walk) : unreadable('it is not the redirect that it seems to be');
  if (doubt !== undefined) addDoubt(walk, text, doubt);
}

function readWithin(redirection: Redirection, text: string, walk: Walk): Doubt | undefined {
  if (redirection.type === 'HereDoc') return readDocument(redirection, walk);
  const { target, end } = redirection;
  if (target === undefined || target.end !== end) return unreadable('it has no target');
  if (redirection.type === 'Redirect') return readFile(target, redirection.operator, text, walk);
  readPart(target, walk);
  return undefined;
}

function readFile(target: Word, operator: Redirect['operator'], text: string, walk: Walk): Doubt | undefined {
  const { value } = readPart(target, walk);
  if (isProcess(target)) return undefined;
  if (operator.endsWith('&')) {
    if (value !== undefined && /^(?:\d+-?|-)$/.test(value)) return undefined;
    // bash expands the target of `>&` twice: '$(cmd)' in single quotes is run.
    if (value === undefined || !/^[\w./,:@%+-]+$/.test(value))
      return { level: 'anything', why: `write &>, or 2>&1: bash reads what follows ${operator} twice` };
  }
  if (operator === '<&') return { level: 'uncovered', why: 'what it reads from is not known before it runs' };
  if (value !== undefined && harmlessFiles.test(value)) return undefined;
  if (operator.startsWith('<')) walk.steps.push({ kind: 'file', text, access: 'read', path: value });
  if (operator !== '<') walk.steps.push({ kind: 'file', text, access: 'write', path: value });
  return undefined;
}

/** The text of a document is found again by its lines, and is read only where nothing but them decides where it ends. */
function readDocument(document: HereDoc, walk: Walk): Doubt | undefined {
  const { delimiter, body, closing, end, operator } = document;
  const word = /^(?:([\w.-]+)|'([\w.-]+)'|"([\w.-]+)"|\\([\w.-]+))$/.exec(delimiter?.text ?? '');
  const name = word?.slice(1).find((each) => each !== undefined);
  const isQuoted = word?.[1] === undefined;
  if (name === undefined || name !== delimiter?.value || delimiter.quoted !== isQuoted) {
    return unreadable("write the word of the here-document plainly, as EOF or as 'EOF'");
  }
  if (closing === undefined || walk.source.slice(body.pos, body.end) !== body.text)
    return unreadable('the here-document has no end');
  walk.leaves.push({ pos: body.pos, end: closing.end, kind: 'document', from: end });
  const found = findDocument(walk.source, { from: body.pos, name, hasTabs: operator === '<<-' });
  if (found?.bodyEnd !== body.end || found.lineEnd !== closing.end)
    return unreadable('the here-document does not end where it seems to');
  if (isQuoted) return undefined;
  // Lines that are joined are one line when the end is looked for.
  if (/\\\n/.test(body.text)) return unreadable(`there is a line that ends in a backslash: write <<'${name}'`);
  const scan = scanWord(body, 'document');
  if (!scan.isRead) return unreadable(scan.problem);
  readHoles(scan.pieces, walk);
  return undefined;
}

interface Place {
  readonly from: number;
  readonly name: string;
  readonly hasTabs: boolean;
}

/** Where the lines before the first that is `name` end, and where that one does. */
function findDocument(source: string, { from, name, hasTabs }: Place): { bodyEnd: number; lineEnd: number } | undefined {
  for (let start = from; start < source.length; ) {
    const newline = source.indexOf('\n', start);
    const lineEnd = newline === -1 ? source.length : newline;
    const line = source.slice(start, lineEnd);
    if ((hasTabs ? line.replace(/^\t+/, '') : line) === name) return { bodyEnd: start, lineEnd };
    start = lineEnd + 1;
  }
  return undefined;
}
