// Names for the tools of all servers that every provider accepts, the same ones in every run. Pure.
import { createHash } from 'node:crypto';

/** What providers accept. */
const maxLength = 64;
const hashLength = 8;

export interface Owner {
  readonly server: string;
  readonly tool: string;
}

/** `mcp__server__tool` for each. A name that is too long, or that two would have, ends in a hash of the full name. */
export function nameTools(owners: readonly Owner[]): readonly string[] {
  const plain = owners.map(({ server, tool }) => `mcp__${serverSegment(server)}__${safe(tool)}`);
  const byName = Map.groupBy(owners, (_owner, index) => plain[index] ?? '');
  return owners.map((owner, index) => {
    const name = plain[index] ?? '';
    const isAlone = byName.get(name)?.length === 1 || isRightful(owner, byName.get(name) ?? []);
    return isAlone && name.length <= maxLength ? name : hashed(name, owner);
  });
}

/** What a server is called in the names of its tools: without `__`, so that it ends where it seems to, whatever its tools are called. */
export function serverSegment(server: string): string {
  return safe(server).replaceAll(/_{2,}/g, '_').replaceAll(/^_|_$/g, '');
}

/** Whether of those who share a name this one alone is really called so. */
function isRightful(owner: Owner, sharers: readonly Owner[]): boolean {
  const unchanged = sharers.filter(({ tool }) => safe(tool) === tool);
  return unchanged.length === 1 && unchanged[0] === owner;
}

function safe(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
}

function hashed(name: string, { server, tool }: Owner): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, hashLength);
  return `${name.slice(0, maxLength - hashLength - 1)}_${hash}`;
}
