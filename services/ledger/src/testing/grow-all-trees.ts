// Lets all trees grow to their chains, as before an epoch. Imported by tests only.

import type { GrownChains } from "../append/grown-chains.ts";
import type { TreeBuilder } from "../log/worker/tree-builder.ts";
import { NEVER } from "./block-fixtures.ts";

export async function growAllTrees(
  builder: Pick<TreeBuilder, "run">,
  grown: Pick<GrownChains, "makeReady">,
): Promise<void> {
  // The first run lists the chains; up to 1,000 of them are on one page.
  await builder.run(NEVER);
  grown.makeReady();
  while ((await builder.run(NEVER)) === 0);
}
