// The commands that were run and how each ended last, from our log and not from the model (H7); pure.
import type { Bundle } from '../../schema/bundle.ts';
import { oneLine } from '../../schema/one-line.ts';
import { count, renderNumber } from './figures.ts';
import { inlineCode } from './inline-code.ts';

type Command = Bundle['commands'][number];

const maxListed = 30;
/** A folded line is read at a glance. */
const maxSummaryCommandChars = 60;

/** One command, however often it was run: the ends of all its runs. */
interface Series {
  readonly command: string;
  readonly ends: readonly Command['exitCode'][];
}

/** Folded; what one sees without opening it is how the last command ended, and which others failed the last time. */
export function renderCommands(commands: Bundle['commands']): string {
  if (commands.length === 0) return '';
  const series = toSeries(commands);
  const listed = series.slice(-maxListed).map(({ command, ends }) => `- ${inlineCode(command)}: ${renderEnds(ends, true)}`);
  const hidden = series.length - listed.length;
  return [
    `<details><summary>${count(commands.length, 'command')} run: ${renderHead(series)}</summary>`,
    '',
    ...(hidden === 0 ? [] : [`- … and ${renderNumber(hidden)} more before`]),
    ...listed,
    '',
    '</details>',
  ].join('\n');
}

/** In the order of their last runs. */
function toSeries(commands: Bundle['commands']): Series[] {
  const byCommand = new Map<string, Command['exitCode'][]>();
  for (const { command, exitCode } of commands) {
    const ends = byCommand.get(command) ?? [];
    byCommand.delete(command);
    byCommand.set(command, [...ends, exitCode]);
  }
  return [...byCommand].map(([command, ends]) => ({ command, ends }));
}

function renderHead(series: readonly Series[]): string {
  const last = series.at(-1);
  if (last === undefined) return '';
  const others = series.slice(0, -1).filter(({ ends }) => ends.at(-1) !== 0);
  const [failed] = others.slice(-1);
  const rest = others.length > 1 ? ` and ${renderNumber(others.length - 1)} more` : '';
  const verb = series.length === 1 ? '' : 'the last one, ';
  const comma = series.length === 1 ? ' ' : ', ';
  return [
    `${verb}${htmlCode(last.command)}${comma}${renderEnds(last.ends, false)}`,
    ...(failed === undefined ? [] : [`${htmlCode(failed.command)}${rest} did not pass`]),
  ].join('; ');
}

/** `failed, then passed`: how the first run ended when it was another way, and how the last one did. */
function renderEnds(ends: Series['ends'], isExact: boolean): string {
  const first = renderEnd(ends[0], isExact);
  const last = renderEnd(ends.at(-1), isExact);
  const runs = isExact && ends.length > 1 ? ` (${count(ends.length, 'run')})` : '';
  return `${first === last ? last : `${first}, then ${last}`}${runs}`;
}

function renderEnd(exitCode: Command['exitCode'] | undefined, isExact: boolean): string {
  if (exitCode === 0) return 'passed';
  if (exitCode === null || exitCode === undefined) return 'ended early';
  return isExact ? `failed with exit code ${exitCode}` : 'failed';
}

/** A summary is raw HTML, where backticks are no code. */
function htmlCode(command: string): string {
  const line = oneLine(command, maxSummaryCommandChars);
  return `<code>${line.replace(/[<>&@#]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</code>`;
}
