// Which variables a command may be given without a rule that spells them, and which ones make the shell run something. Pure.
import type { ShellAssignment } from './step.ts';

/** Whether a variable can be called so. */
export function isName(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z_]\w*$/.test(text);
}

/** They change what is shown and how loudly, not what runs. */
const harmless =
  /^(?:CI|NODE_ENV|APP_ENV|RAILS_ENV|RACK_ENV|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|TERM|COLUMNS|LINES|DEBUG|VERBOSE|LOG_LEVEL|RUST_LOG|RUST_BACKTRACE|PYTHONUNBUFFERED|DEBIAN_FRONTEND|PORT)$/;
const language = /^(?:LANG|LANGUAGE|LC_[A-Z]+)$/;
/** In other encodings bash finds other characters in the same bytes. */
const utf8Locale = /^(?:|C|POSIX|[A-Za-z_]+\.(?:UTF-?8|utf-?8))$/;

/** Whether any `allow` covers the assignment. */
export function isHarmless({ name, value, text }: ShellAssignment): boolean {
  if (language.test(name)) return value !== undefined && utf8Locale.test(value);
  return harmless.test(name) && text.startsWith(`${name}=`) && !text.startsWith(`${name}=(`);
}

/** Whether the shell may set it by a loop or `read`: names as people give them, which programs do not look at. */
export function isOwnName(name: string): boolean {
  return name === 'REPLY' || (/^[a-z][a-z0-9_]*$/.test(name) && !/^npm_|_proxy$/.test(name)) || harmless.test(name);
}

/** Whether a shell, or git by its aliases, runs what the variable holds, or takes names of commands out of it. */
export function makesShellRun(name: string): boolean {
  return /^(?:BASH|ENV$|SHELLOPTS$|PS\d$|PROMPT_COMMAND$|GIT_CONFIG_(?:COUNT|KEY|VALUE|PARAMETERS))/.test(name);
}

/** Whether a text that the variable is given is arithmetic at once. */
export function evaluatesValue(name: string): boolean {
  return /^(?:HISTCMD|OPTIND|S?RANDOM|SECONDS|LINENO|EPOCH\w+)$/.test(name);
}

/** Whether the shell itself puts texts of the command line into the variable. */
export function holdsTexts(name: string): boolean {
  return /^(?:_|BASH\w*|FUNCNAME|DIRSTACK|COMP_\w+|READLINE\w+)$/.test(name);
}
