import { describe, expect, test } from '@jest/globals';
import { childEnvironment } from '../../src/sandbox/child-environment.ts';

const places = { home: '/private/home', tmpDir: '/private/tmp' };

describe('childEnvironment', () => {
  test('C1 G5-13 only the allow-list passes, whatever the environment holds', () => {
    const env = {
      PATH: '/bin',
      HOME: '/root',
      LC_ALL: 'C',
      INPUT_API_KEY: 'k',
      GITHUB_TOKEN: 't',
      ACTIONS_RUNTIME_TOKEN: 'r',
      ACTIONS_ID_TOKEN_REQUEST_URL: 'u',
      GITHUB_ENV: '/e',
      GITHUB_WORKSPACE: '/w',
      RUNNER_TEMP: '/t',
      RUNNER_TOOL_CACHE: '/c',
      AGENT_TOOLSDIRECTORY: '/c',
      OPENAI_API_KEY: 'o',
      LD_PRELOAD: '/x.so',
      BASH_ENV: '/x',
      NODE_OPTIONS: '--require /x',
      SSH_AUTH_SOCK: '/s',
      MY_SETTING: '1',
      HTTPS_PROXY: 'http://proxy:3128',
      http_proxy: 'http://user:word@proxy:3128',
      TERM: 'xterm',
      TZ: undefined,
    };
    expect(childEnvironment(env, [], places)).toEqual({
      PATH: '/bin',
      LANG: 'C.UTF-8',
      LC_ALL: 'C',
      HTTPS_PROXY: 'http://proxy:3128',
      HOME: '/private/home',
      TMPDIR: '/private/tmp',
      TERM: 'dumb',
      CI: 'true',
    });
    expect(childEnvironment(env, ['MY_SETTING', 'NOT_SET', 'HOME'], places)).toMatchObject({
      MY_SETTING: '1',
      HOME: '/private/home',
    });
  });

  test('every refused name of pass_env is named at once', () => {
    const names = [
      'A',
      'INPUT_X',
      'ACTIONS_RUNTIME_URL',
      'GITHUB_TOKEN',
      'MY_API_KEY',
      'npm_token',
      'DB_PASSWORD',
      'AWS_SECRET_ACCESS_KEY',
      'MCP_TRACKER',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
      'bad-name',
    ];
    expect(() => childEnvironment({}, names, places)).toThrow(
      expect.objectContaining({
        code: 'PASS_ENV_REFUSED',
        message:
          'pass_env: "INPUT_X" belongs to the runner; "ACTIONS_RUNTIME_URL" belongs to the runner; "GITHUB_TOKEN" belongs to the runner; ' +
          '"MY_API_KEY" looks like a secret; "npm_token" looks like a secret; "DB_PASSWORD" looks like a secret; ' +
          '"AWS_SECRET_ACCESS_KEY" looks like a secret; "MCP_TRACKER" looks like a secret; ' +
          '"OTEL_EXPORTER_OTLP_HEADERS" looks like a secret; "OTEL_EXPORTER_OTLP_TRACES_HEADERS" looks like a secret; "bad-name" is not the name of a variable',
      }),
    );
    expect(() =>
      childEnvironment({}, ['MONKEY', 'TOKENIZERS_PARALLELISM', 'KEYBOARD', 'OTEL_SERVICE_NAME'], places),
    ).not.toThrow();
  });
});
