// Says plainly that an older Node cannot run this; the edit folder and safePath are free of it, since they run on Node 20.
import { Harness9Error } from './error.ts';

/** `package.json` says the same; below it language features are missing that everything here is written with. */
const neededMajor = 24;

/** Throws NODE_TOO_OLD before an older Node fails on something that names no cause. `version`: as `process.versions.node`. */
export function requireNode24(version: string = process.versions.node): void {
  if (Number.parseInt(version, 10) >= neededMajor) return;
  throw new Harness9Error({
    code: 'NODE_TOO_OLD',
    message: `This is Node ${version}; harness9 needs Node ${neededMajor} or newer.`,
    hint: `Run it with Node ${neededMajor}: in a workflow by actions/setup-node with node-version ${neededMajor}. Only tools/edit-file/apply-edit and tools/safe-path run on Node 20.`,
  });
}
