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
  const plain = owners.map(({ server, tool }) => safe(fullName(server, tool)));
  const byName = Map.groupBy(owners, (_owner, index) => plain[index] ?? '');
  return owners.map((owner, index) => {
    const name = plain[index] ?? '';
    const isAlone = byName.get(name)?.length === 1 || isRightful(owner, byName.get(name) ?? []);
    return isAlone && name.length <= maxLength ? name : hashed(name, owner);
  });
}

/** Whether of those who share a name this one alone is really called so. */
function isRightful(owner: Owner, sharers: readonly Owner[]): boolean {
  const unchanged = sharers.filter(({ server, tool }) => isUnchanged(server) && isUnchanged(tool));
  return unchanged.length === 1 && unchanged[0] === owner;
}

/** Whether a server's or a tool's own name can be read off its name here. */
export function isUnchanged(name: string): boolean {
  return safe(name) === name;
}

function fullName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
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
