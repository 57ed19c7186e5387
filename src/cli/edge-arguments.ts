// The flags for what stands around the engine: rules, hooks, servers, the check of the result, traces. Reads no file: compose does.
import type { EdgeSettings } from '../schema/settings.ts';
import { type CommandLine, type FlagForm, usageError, wholeNumber } from './flags.ts';

/** A guard that a later one silently took the place of would be no guard. */
const once: FlagForm = { takes: 'value', again: 'refused' };

export const edgeFlags: Readonly<Record<string, FlagForm>> = {
  'allowed-tools': { takes: 'value', again: 'adds' },
  'disallowed-tools': { takes: 'value', again: 'adds' },
  'permission-rules': { takes: 'value', again: 'adds' },
  hooks: once,
  'mcp-config': once,
  'verify-command': once,
  'verify-attempts': once,
  'otel-endpoint': once,
  'otel-content': { takes: 'nothing' },
};

/** A flag that says more of another one, which must be there: alone it would do nothing, and whoever wrote it expects something. */
const additions = { 'verify-attempts': 'verify-command', 'otel-content': 'otel-endpoint' } as const;

/** Throws CLI_USAGE naming the flag, the value and what is expected. */
export function parseEdges(flags: CommandLine['flags']): EdgeSettings {
  for (const [addition, flag] of Object.entries(additions)) {
    if (flags.has(addition) && !flags.has(flag)) throw usageError(`--${addition}: expected --${flag} with it`);
  }
  const text = (name: string): string | null => flags.get(name)?.trim() ?? null;
  return {
    allowedTools: text('allowed-tools'),
    disallowedTools: text('disallowed-tools'),
    permissionRules: parseRules(text('permission-rules')),
    hooks: text('hooks'),
    mcpConfig: text('mcp-config'),
    verifyCommand: text('verify-command'),
    verifyAttempts: wholeNumber('--verify-attempts', flags.get('verify-attempts') ?? '2', '0 to send the agent never back'),
    otelEndpoint: parseEndpoint(text('otel-endpoint')),
    otelContent: flags.has('otel-content'),
  };
}

/** A file holds all rules: beside it others would be taken for the rest of its path. */
function parseRules(given: string | null): string | null {
  const lines = (given ?? '').split('\n');
  const file = lines.find((line) => /^\s*\.{0,2}\//.test(line));
  if (lines.length > 1 && file !== undefined) {
    throw usageError(`--permission-rules "${file.trim()}": expected one file, or rules, and not both`);
  }
  return given;
}

function parseEndpoint(given: string | null): string | null {
  if (given === null || (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol))) return given;
  throw usageError(`--otel-endpoint "${given}": expected a URL that begins with http:// or https://`);
}
