import { describe, expect, test } from '@jest/globals';
import { allowedTools } from '../../src/compose/tools.ts';
import type { ToolDefinition } from '../../src/schema/message.ts';
import { hostToolDefinitions } from '../../src/tools/host-tools.ts';

const names = (tools: readonly ToolDefinition[]) => tools.map(({ name }) => name);
const all = hostToolDefinitions();

describe('the tools of a run', () => {
  test.each([
    [
      'a trusted run has all',
      { tools: 'all', bash: 'allowed' },
      'process',
      ['bash', 'edit_file', 'glob', 'grep', 'read_file', 'write_file'],
    ],
    [
      'a mixed run at process level has no bash',
      { tools: 'all', bash: 'sandboxed' },
      'process',
      ['edit_file', 'glob', 'grep', 'read_file', 'write_file'],
    ],
    [
      'a mixed run without a sandbox has no bash',
      { tools: 'all', bash: 'sandboxed' },
      'none',
      ['edit_file', 'glob', 'grep', 'read_file', 'write_file'],
    ],
    [
      'a mixed run in a namespace has bash',
      { tools: 'all', bash: 'sandboxed' },
      'namespace',
      ['bash', 'edit_file', 'glob', 'grep', 'read_file', 'write_file'],
    ],
    [
      'a run that is denied bash has none anywhere',
      { tools: 'all', bash: 'denied' },
      'bubblewrap',
      ['edit_file', 'glob', 'grep', 'read_file', 'write_file'],
    ],
    [
      'a sandbox that is readonly has no bash, whoever asks',
      { tools: 'all', bash: 'allowed' },
      'readonly',
      ['edit_file', 'glob', 'grep', 'read_file', 'write_file'],
    ],
    ['an untrusted run only reads', { tools: 'read_only', bash: 'denied' }, 'bubblewrap', ['glob', 'grep', 'read_file']],
    [
      'a read-only run has no bash whatever is said of bash',
      { tools: 'read_only', bash: 'allowed' },
      'process',
      ['glob', 'grep', 'read_file'],
    ],
  ] as const)('%s', (_case, allowed, level, expected) => {
    expect(names(allowedTools(all, allowed, level))).toEqual(expected);
  });
});
