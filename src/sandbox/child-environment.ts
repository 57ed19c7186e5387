// The environment of everything that runs beside the agent: an allow-list, never our own environment less some names (C1, G5-13). Pure.
import { Harness9Error } from '../schema/error.ts';
import { isSecretName } from '../schema/secret-name.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a child may keep its own files: private, empty, not the user's (C6). */
export interface PrivatePlaces {
  readonly home: string;
  readonly tmpDir: string;
}

/** What programs need to find themselves and to talk; nothing here is a credential, or the runner's. */
const passedNames = [
  'PATH',
  'LANG',
  'LANGUAGE',
  'TZ',
  'USER',
  'LOGNAME',
  'SHELL',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'JAVA_HOME',
  'GOROOT',
  'DOTNET_ROOT',
  'ANDROID_HOME',
];
const passedPattern = /^LC_[A-Z]+$/;
const proxyPattern = /^(?:https?|all|no)_proxy$/i;
/** Where a login without PATH looks. */
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const runnerName = /^(?:INPUT_|ACTIONS_|GITHUB_TOKEN$|GH_TOKEN$|GITHUB_(?:ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)$)/i;
/** What MCP servers and receivers of traces are sent: the headers of ours are made of these. */
const headerName = /^MCP_|^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/i;

/**
 * `env` reduced to the allow-list and `passEnv`, with HOME and TMPDIR in `places`. Throws `PASS_ENV_REFUSED` naming every name in
 * `passEnv` that is malformed, belongs to the runner or looks like a secret. A name that is not set is left out.
 */
export function childEnvironment(
  env: Environment,
  passEnv: readonly string[],
  places: PrivatePlaces,
): Readonly<Record<string, string>> {
  refuseSecrets(passEnv);
  const names = Object.keys(env).filter((name) => isAllowedVariable(name, env[name]) || passEnv.includes(name));
  const passed = Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  return {
    PATH: defaultPath,
    LANG: 'C.UTF-8',
    ...passed,
    HOME: places.home,
    TMPDIR: places.tmpDir,
    TERM: 'dumb',
    CI: 'true',
  };
}

/** Whether a variable is on the allow-list. */
export function isAllowedVariable(name: string, value: string | undefined): boolean {
  if (passedNames.includes(name) || passedPattern.test(name)) return true;
  // A proxy with a user in it is a credential.
  return proxyPattern.test(name) && !value?.includes('@');
}

function refuseSecrets(passEnv: readonly string[]): void {
  const problems = passEnv.flatMap((name) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [`"${name}" is not the name of a variable`];
    if (runnerName.test(name)) return [`"${name}" belongs to the runner`];
    if (isSecretName(name) || headerName.test(name)) return [`"${name}" looks like a secret`];
    return [];
  });
  if (problems.length === 0) return;
  throw new Harness9Error({
    code: 'PASS_ENV_REFUSED',
    message: `pass_env: ${problems.join('; ')}`,
    hint: 'Everything in pass_env can be read by the agent and by the code it runs: pass names of settings only.',
  });
}
