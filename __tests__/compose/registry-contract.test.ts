// The registries under the contract: tools in our own process, behind the tool host, both beside each other, and all of it composed.
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withMainTools } from '../../src/compose/main-tools.ts';
import { composeTools } from '../../src/compose/tools.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { createReadDouble, createSkillDouble } from '../contracts/doubles.ts';
import { describeRegistry, type Implementation, type RegistryCase, readFile, useSkill } from '../contracts/registry.ts';
import { startFixture } from '../sandbox/host-fixture.ts';

const hostEntry = path.join(import.meta.dirname, '../contracts/double-host.ts');
const both = ['read_file', 'use_skill'];

function registryOf(...tools: readonly Tool[]) {
  const registry = createRegistry();
  for (const tool of tools) registry.register(tool);
  return registry;
}

async function own(): Promise<RegistryCase> {
  return {
    registry: registryOf(createSkillDouble(), createReadDouble()),
    tools: both,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function hosted(): Promise<RegistryCase> {
  const { host, remove } = await startFixture({ entry: hostEntry, definitions: [createReadDouble().definition] });
  return { registry: host.registry, tools: ['read_file'], [Symbol.asyncDispose]: remove };
}

async function beside(): Promise<RegistryCase> {
  return {
    registry: withMainTools(registryOf(createReadDouble()), [createSkillDouble()]),
    tools: both,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A run that only reads is offered all that read; the host of doubles has read_file alone. */
async function composed(): Promise<RegistryCase> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'harness9-composed-')));
  const workDir = path.join(base, 'ws');
  await mkdir(workDir);
  const tools = await composeTools({
    workDir,
    stateDir: path.join(base, 'state'),
    sandbox: 'auto',
    passEnv: [],
    allowed: { tools: 'read_only', bash: 'denied' },
    toolHostEntry: hostEntry,
    marker: path.basename(base),
    guarded: [],
    redaction: { mark: '***', secrets: (text) => text, outward: (text) => text },
    world: { env: process.env },
    log: () => undefined,
  });
  return {
    registry: tools.registryWith([createSkillDouble()]),
    tools: ['glob', 'grep', ...both],
    [Symbol.asyncDispose]: async () => {
      await tools.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

const here = { keepsRun: true, answersForDeaf: false, tellsMeaning: false };
const behindPipe = { keepsRun: false, answersForDeaf: true, tellsMeaning: false };
const implementations: readonly Implementation[] = [
  { name: 'A registry', create: own, subject: readFile, ...here, tellsMeaning: true },
  { name: 'The tool host', create: hosted, subject: readFile, ...behindPipe },
  { name: 'A host with main tools beside it', create: beside, subject: useSkill, ...here },
  { name: 'A host with main tools beside it', create: beside, subject: readFile, ...here },
  { name: 'The composed tools', create: composed, subject: useSkill, ...here, tellsMeaning: true },
  // The wait for a deaf tool takes real seconds, and the tool host has shown it.
  { name: 'The composed tools', create: composed, subject: readFile, ...behindPipe, answersForDeaf: false, tellsMeaning: true },
];
for (const implementation of implementations) describeRegistry(implementation);
