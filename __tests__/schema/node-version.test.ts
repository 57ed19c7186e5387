// An older Node is told so by everything that is embedded, and by nothing that may run on it.
import { afterEach, describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import { requireNode24 } from '../../src/schema/node-version.ts';
import { applyEdit } from '../../src/tools/edit-file/apply-edit.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { safePath } from '../../src/tools/safe-path.ts';

const versions = process.versions;
function pretend(node: string): void {
  Object.defineProperty(process, 'versions', { value: { ...versions, node }, configurable: true });
}
afterEach(() => {
  Object.defineProperty(process, 'versions', { value: versions, configurable: true });
});

describe('Node', () => {
  test.each(['20.19.4', '22.22.0', '23.11.1', 'v8', ''])('%j is too old, which is said with what to do', (version) => {
    expect(() => requireNode24(version)).toThrow(
      expect.objectContaining({
        code: 'NODE_TOO_OLD',
        message: `This is Node ${version}; harness9 needs Node 24 or newer.`,
        hint: expect.stringContaining('Node 24'),
      }),
    );
  });

  test.each(['24.0.0', '24.22.3', '26.1.0-nightly', '100.0.0'])('%j is fine', (version) => {
    expect(requireNode24(version)).toBeUndefined();
  });

  test.each<[string, () => unknown]>([
    ['createEngine', () => Reflect.apply(createEngine, undefined, [{}, {}, '', { nonsense: 1 }])],
    ['createOpenAIProvider', () => createOpenAIProvider('m', { env: {} })],
    ['createAnthropicProvider', () => createAnthropicProvider('m', 1, { env: {} })],
    ['createRegistry', () => createRegistry()],
  ])('%s says it before anything else', (_name, create) => {
    pretend('20.19.4');
    expect(create).toThrow(expect.objectContaining({ code: 'NODE_TOO_OLD' }));
  });

  test('applyEdit and safePath do not mind', () => {
    pretend('20.19.4');
    expect(applyEdit('a b', 'b', 'c')).toBe('a c');
    expect(safePath('/', 'tmp')).toBe('/tmp');
  });
});
