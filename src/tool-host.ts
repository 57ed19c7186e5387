// The tool host: serves the host tools, and processes beside them, on stdin and stdout. Started by the main process, inside the sandbox; holds no key and no token.
import { randomBytes } from 'node:crypto';
import { hostOptionsSchema } from './sandbox/protocol.ts';
import { serveToolHost } from './sandbox/tool-host-server.ts';
import { createHostTools } from './tools/host-tools.ts';
import { createRegistry } from './tools/registry.ts';
import { createProcessStarter } from './tools/start-process.ts';

const options = hostOptionsSchema.parse(JSON.parse(process.argv[2] ?? 'null'));
const lifetime = new AbortController();
const surroundings = {
  workDir: options.workDir,
  env: Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  lifetime: lifetime.signal,
};
const registry = createRegistry();
const tools = createHostTools({
  ...surroundings,
  redactionMark: options.redactionMark,
  randomHex: (bytes) => randomBytes(bytes).toString('hex'),
});
for (const tool of tools) {
  if (options.tools.includes(tool.definition.name)) registry.register(tool);
}
// Signals are for the main process: it closes our input when it is done with us.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
try {
  await serveToolHost({ registry, startProcess: createProcessStarter(surroundings) }, process.stdin, process.stdout);
} finally {
  lifetime.abort();
  process.exit();
}
