// A tool host like src/tool-host.ts, whose tools are doubles; started by the tests of the registries' contract.
import { hostOptionsSchema } from '../../src/sandbox/protocol.ts';
import { serveToolHost } from '../../src/sandbox/tool-host-server.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { createProcessStarter } from '../../src/tools/start-process.ts';
import { createReadDouble } from './doubles.ts';

const options = hostOptionsSchema.parse(JSON.parse(process.argv[2] ?? 'null'));
const registry = createRegistry();
const tool = createReadDouble();
if (options.tools.includes(tool.definition.name)) registry.register(tool);
const startProcess = createProcessStarter({ workDir: options.workDir, env: {}, lifetime: new AbortController().signal });
await serveToolHost({ registry, startProcess }, process.stdin, process.stdout);
process.exit();
