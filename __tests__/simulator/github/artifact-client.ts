// A process that uses the real @actions/artifact as an action would: it reads its settings from the environment, so it can't live in the test.
// node artifact-client.ts upload NAME FILE | list | download ID FOLDER
import path from 'node:path';
import { DefaultArtifactClient } from '@actions/artifact';

const [verb = '', name = '', target = ''] = process.argv.slice(2);
const client = new DefaultArtifactClient();
const outcome = await act().catch((error: unknown) => ({ error: String(error) }));
// The client prints its own log on stdout; the outcome is the last line.
process.stdout.write(`\n${JSON.stringify(outcome)}\n`);

async function act(): Promise<unknown> {
  if (verb === 'upload') return client.uploadArtifact(name, [target], path.dirname(target));
  if (verb === 'list') return client.listArtifacts();
  if (verb === 'download') return client.downloadArtifact(Number(name), { path: target });
  if (verb === 'delete') return client.deleteArtifact(name);
  throw new Error(`unknown verb ${verb}`);
}
