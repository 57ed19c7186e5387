// The `.env` of the folder in which the terminal works: read as dotenv reads it, believed as far as it may be. Never for the Action (I1).
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'dotenv';
import { hasCode, messageOf } from '../schema/error.ts';
import type { World } from '../schema/world.ts';
import { askTracking, type Tracking } from './terminal-tracked.ts';

/** The environment with what the file adds. `warnings` are lines for the log; they hold names, never values. */
export interface LoadedEnvironment {
  readonly env: World['env'];
  readonly warnings: readonly string[];
}

/** A `.env` is a page or two; what is larger is something else. */
const maxBytes = 256 * 1024;

/**
 * `env` with the variables of `workDir`'s `.env` that are not set yet; one that is set but empty is set. Names that steer programs are
 * never taken, keys, endpoints and proxies only from a file that git does not track. Never rejects: what cannot be read is a warning,
 * a file that is not there is nothing. Source: spec §5.3; DESIGN.md, Where we leave the specification.
 */
export async function loadEnvFile(workDir: string, env: World['env'], signal: AbortSignal): Promise<LoadedEnvironment> {
  const file = path.join(workDir, '.env');
  const content = await readEnvFile(file);
  if (content.kind === 'none') return { env, warnings: [] };
  if (content.kind === 'unusable') return { env, warnings: [`[env] ${file} is not read: ${content.reason}`] };
  const variables = parse(content.text, { fast: true });
  const names = Object.keys(variables).filter((name) => env[name] === undefined);
  const guarded = names.filter((name) => kindOf(name) === 'guarded');
  const tracking: Tracking = guarded.length === 0 ? { kind: 'untracked' } : await askTracking(file, env, signal);
  const taken = names.filter((name) => kindOf(name) === 'free' || (kindOf(name) === 'guarded' && tracking.kind === 'untracked'));
  const steering = names.filter((name) => kindOf(name) === 'steering');
  return {
    env: { ...env, ...Object.fromEntries(taken.map((name) => [name, variables[name]])) },
    warnings: [
      ...refusal(file, steering, 'names that steer programs are set in the environment only'),
      ...(tracking.kind === 'untracked' ? [] : refusal(file, guarded, guardedReason(tracking))),
    ],
  };
}

/** What is there under the file's name. */
type FileContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable'; readonly reason: string };

async function readEnvFile(file: string): Promise<FileContent> {
  try {
    // Without waiting: opening a named pipe would.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (!stat.isFile()) return { kind: 'unusable', reason: 'it is no regular file' };
    if (stat.size > maxBytes) return { kind: 'unusable', reason: `it has ${stat.size} bytes, expected at most ${maxBytes}` };
    const text = decode(await handle.readFile());
    return text === undefined ? { kind: 'unusable', reason: 'it is not UTF-8 text' } : { kind: 'text', text };
  } catch (error) {
    return hasCode(error, 'ENOENT') ? { kind: 'none' } : { kind: 'unusable', reason: messageOf(error) };
  }
}

/** The text, without a byte order mark; undefined for what is none. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Names by which programs choose what they run or load, whom they trust, and who we are to ourselves. */
const steeringNames =
  /^(?:PATH|HOME|ENV|BASH_ENV|SHELL|IFS|PS4|PROMPT_COMMAND|CDPATH|PWD|TMPDIR|EDITOR|VISUAL|PAGER|BROWSER|CLASSPATH|JAVA_HOME|GOROOT|DOTNET_ROOT|ANDROID_HOME|AGENT_TOOLSDIRECTORY|_?JAVA_(?:TOOL_)?OPTIONS|SSL_CERT_(?:FILE|DIR)|\w*_CA_BUNDLE)$|^(?:LD|DYLD|NODE|GIT|NPM_CONFIG|HARNESS9|BASH_FUNC|SSH|XDG|PYTHON|PERL|PERL5|RUBY|INPUT|ACTIONS|RUNNER)_|^(?:PYTHON|PERL5|RUBY)[A-Z]+$/i;

/** Keys, and where they are sent: a repository must not redirect the user's key (I1). */
const guardedNames = /^(?:OPENAI|ANTHROPIC|OTEL)_|_(?:API_KEY|BASE_URL|PROXY)$/i;

function kindOf(name: string): 'free' | 'guarded' | 'steering' {
  if (steeringNames.test(name)) return 'steering';
  return guardedNames.test(name) ? 'guarded' : 'free';
}

function refusal(file: string, names: readonly string[], reason: string): readonly string[] {
  return names.length === 0 ? [] : [`[env] not taken from ${file}: ${names.join(', ')} (${reason})`];
}

function guardedReason(tracking: Exclude<Tracking, { kind: 'untracked' }>): string {
  const rule = 'keys, endpoints and proxies are taken from a file that git does not track';
  return tracking.kind === 'tracked'
    ? `git tracks it; ${rule}`
    : `whether git tracks it is not known: ${tracking.reason}; ${rule}`;
}
