/** Who descends from whom, out of the commits themselves: asked at every look at a pull request, where a process each would be slow. */

/** Commits do not change, so what was found out about one is kept. */
export class Ancestry {
  readonly #readParents: (sha: string) => Promise<readonly string[]>;
  readonly #parents = new Map<string, readonly string[]>();
  readonly #generations = new Map<string, number>();

  /** `readParents` throws for what is no commit. */
  constructor(readParents: (sha: string) => Promise<readonly string[]>) {
    this.#readParents = readParents;
  }

  /** A commit and all that it descends from. */
  async reachable(sha: string): Promise<ReadonlySet<string>> {
    await this.#explore(sha);
    const found = new Set([sha]);
    for (const commit of found) for (const parent of this.#parents.get(commit) ?? []) found.add(parent);
    return found;
  }

  /** Where two histories meet: of the commits of both, the one with the longest history, from which no other of them can descend. */
  async mergeBase(left: string, right: string): Promise<string | undefined> {
    const [ours, theirs] = [await this.reachable(left), await this.reachable(right)];
    const generation = (sha: string): number => this.#generations.get(sha) ?? 0;
    return [...ours].filter((sha) => theirs.has(sha)).sort((one, other) => generation(other) - generation(one))[0];
  }

  /** Commits of `head`'s history that are not in `base`'s. */
  async countAhead(base: string, head: string): Promise<number> {
    const known = await this.reachable(base);
    return [...(await this.reachable(head))].filter((sha) => !known.has(sha)).length;
  }

  // A commit's generation is one more than its parents' greatest: they come first.
  async #explore(sha: string): Promise<void> {
    const open = [sha];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const parents = this.#parents.get(top) ?? (await this.#readParents(top));
      this.#parents.set(top, parents);
      const unknown = parents.filter((parent) => !this.#generations.has(parent));
      open.push(...unknown);
      if (unknown.length > 0) continue;
      this.#generations.set(top, 1 + Math.max(0, ...parents.map((parent) => this.#generations.get(parent) ?? 0)));
      open.pop();
    }
  }
}
