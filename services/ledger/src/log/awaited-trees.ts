// Whether the trees have reached what the chains had when the log began: the first epoch covers all that is
// older than the log. Called by the epoch closer before the first epoch.

import type { Database } from "@annals/postgres";
import { findTreeWork } from "./store/find-tree-work.ts";
import { getTrees } from "../store/get-trees.ts";

const PAGE = 1_000;

export class AwaitedTrees {
  readonly #database: Database;
  /** What the tree of each account must reach. */
  #sizes: Map<string, number> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async areComplete(): Promise<boolean> {
    this.#sizes ??= await this.#behind();
    for (const ids of pagesOf([...this.#sizes.keys()]))
      for (const row of await this.#database.run(getTrees, [ids]))
        if (Number(row.size) >= (this.#sizes.get(row.account_id) ?? 0))
          this.#sizes.delete(row.account_id);
    return this.#sizes.size === 0;
  }

  async #behind(): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    let after = "";
    for (;;) {
      const rows = await this.#database.run(findTreeWork, [after, PAGE]);
      const ids = rows.flatMap((row) => (row.lacking === "0" ? [] : [row.account_id]));
      for (const row of await this.#database.run(getTrees, [ids]))
        sizes.set(row.account_id, Number(row.sequence_number));
      const last = rows.at(-1);
      if (last === undefined || last.accounts < PAGE) return sizes;
      after = last.account_id;
    }
  }
}

function pagesOf(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / PAGE) }, (_, at) =>
    ids.slice(at * PAGE, (at + 1) * PAGE),
  );
}
