import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

const source = path.resolve(import.meta.dirname, '../../src/sandbox/scrub-environment.ts');

describe('scrubOwnEnvironment', () => {
  test('C2 a child cannot read our start environment in /proc, and we still have it', () => {
    const script = `
      import { scrubOwnEnvironment } from ${JSON.stringify(source)};
      import { execFileSync } from 'node:child_process';
      const look = () => execFileSync('/bin/sh', ['-c', 'tr "\\\\0" "\\\\n" < /proc/$PPID/environ'], { encoding: 'utf8', env: {} });
      const before = look().includes('canary');
      const scrubbed = scrubOwnEnvironment(process.env);
      const after = look();
      console.log(JSON.stringify({ before, scrubbed, leaks: after.includes('canary'), path: after.includes('PATH=/usr/bin:/bin'),
        key: process.env.INPUT_API_KEY, token: process.env.GITHUB_TOKEN, empty: process.env.EMPTY, lang: process.env.LANG }));
    `;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', INPUT_API_KEY: 'canary-ä-1', GITHUB_TOKEN: 'canary=2', EMPTY: '', LANG: 'C' },
    });
    expect(JSON.parse(output)).toEqual({
      before: true,
      scrubbed: ['INPUT_API_KEY', 'GITHUB_TOKEN'],
      leaks: false,
      path: true,
      key: 'canary-ä-1',
      token: 'canary=2',
      empty: '',
      lang: 'C',
    });
  });
});
