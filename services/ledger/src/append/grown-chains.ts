// The accounts to whose chains this process has appended, until their trees are built. Filled by the append
// path, emptied by tree-builder.ts. Beyond its bound it forgets: the builder finds those accounts by its
// list.

const MAX_ACCOUNTS = 100_000;

export class GrownChains {
  readonly #accountIds = new Set<string>();

  add(accountId: string): void {
    if (this.#accountIds.size < MAX_ACCOUNTS) this.#accountIds.add(accountId);
  }

  /** The first accounts, which are forgotten. */
  take(limit: number): string[] {
    const taken: string[] = [];
    for (const accountId of this.#accountIds) {
      if (taken.length === limit) break;
      taken.push(accountId);
      this.#accountIds.delete(accountId);
    }
    return taken;
  }
}
