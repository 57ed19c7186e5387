// The sets of cases by name: the shared benchmark's, the kinds beyond it, and those that the tests run. Each is the same on every machine.
import path from 'node:path';
import { formatFiles } from './format-files.ts';
import type { EditCase } from './generate.ts';
import { generateCases } from './generate.ts';
import { MORE_KINDS, namedSeedOf } from './kinds/more-kinds.ts';
import { SHARED_KINDS, SHARED_SEED, sharedSeedOf } from './kinds/shared-kinds.ts';
import { createRandom } from './random.ts';
import type { SourceFile } from './source-file.ts';
import type { SourcePackage } from './sources.ts';
import { loadSources } from './sources.ts';
import { syntheticFiles } from './synthetic-files.ts';

/** Real files below a node_modules, and the made-up ones. */
export interface SetSources {
  readonly nodeModules: string;
  readonly packages: readonly SourcePackage[];
  readonly seed: number;
}

/** What the shared benchmark's own generator gives for these sources and this seed, case by case. */
export function sharedCases(sources: SetSources, perKind: number): readonly EditCase[] {
  return generateCases(filesOf(sources), SHARED_KINDS, { perKind, seedOf: sharedSeedOf(sources.seed) });
}

/** The kinds beyond it, over data formats as well. */
export function moreCases(sources: SetSources, perKind: number): readonly EditCase[] {
  const files = [...filesOf(sources), ...formatFiles(createRandom(sources.seed ^ 0x33))];
  return generateCases(files, MORE_KINDS, { perKind, seedOf: namedSeedOf(sources.seed) });
}

function filesOf({ nodeModules, packages, seed }: SetSources): readonly SourceFile[] {
  return [...loadSources(nodeModules, packages, createRandom(seed ^ 0x51ed)), ...syntheticFiles(createRandom(seed ^ 0x7a11))];
}

const OWN_MODULES = path.join(import.meta.dirname, '..', '..', '..', 'node_modules');
const named = (...names: readonly string[]): readonly SourcePackage[] => names.map((name) => ({ name }));

/**
 * Two seeds over packages that are here anyway, at the versions of the lock file: they need no network. None has a file twice in different
 * states, or a block "of another file" would be there but for a letter.
 */
export const INSTALLED_SETS: readonly SetSources[] = [
  { nodeModules: OWN_MODULES, packages: named('zod/src/v4/core', 'express', 'undici', 'ajv/lib'), seed: SHARED_SEED },
  {
    nodeModules: OWN_MODULES,
    packages: named('openai/src', 'dependency-cruiser', 'picomatch', 'dotenv', 'js-yaml'),
    seed: 4_711,
  },
];
