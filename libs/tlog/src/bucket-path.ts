// Paths of an old epoch, from its buckets and the heads of one bucket: the map need not be built again.

import { bitAt, EMPTY_MAP, type Head, mapKey } from "./head-record.ts";
import { HeadMap } from "./head-map.ts";
import { type Bucket, BUCKET_DEPTH, levelsOf } from "./map-buckets.ts";
import type { MapPath } from "./map-path.ts";

/**
 * The path to a chain, from the buckets of an epoch and all heads that the chain's bucket had in it. If the
 * path ends at one chain of another bucket, `heads` is that chain's. Throws RangeError if a head is missing.
 */
export function pathFromBuckets(
  buckets: readonly Bucket[],
  chain: string,
  heads: readonly Head[],
): MapPath {
  const key = mapKey(chain);
  const levels = levelsOf(buckets);
  const siblings: Buffer[] = [];
  let place = 0;
  for (let depth = 0; depth < BUCKET_DEPTH; depth += 1) {
    if (levels[depth]?.[place]?.kind !== "more") break;
    const bit = bitAt(key, depth);
    siblings.push(levels[depth + 1]?.[2 * place + 1 - bit]?.hash ?? EMPTY_MAP);
    place = 2 * place + bit;
  }
  // The path ended above the bucket: at one chain, which may be in another bucket, or at none.
  const above = levels[siblings.length]?.[place];
  if (above?.kind === "empty") return { siblings, end: { at: "empty" } };
  const map = new HeadMap();
  for (const head of heads) map.set(head);
  const { end, siblings: below } = map.path(chain);
  if (end.at === "empty" && above?.kind === "one") throw new RangeError("a head is missing");
  if (above?.kind === "one") return { siblings, end };
  return { siblings: [...siblings, ...below.slice(BUCKET_DEPTH)], end };
}
