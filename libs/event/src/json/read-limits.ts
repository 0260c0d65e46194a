// The limits of the strict reader for one text. The gateway sets them per route.

export interface ReadLimits {
  /** Objects and arrays open at once: 1 allows `{}` and not `{"a":{}}`. From 0 to 512. */
  readonly maxDepth: number;
  /**
   * Members of objects and elements of arrays in the text. They cost more time than their bytes: 4 MiB
   * of made-up names take several times what 4 MiB of text take.
   */
  readonly maxValues: number;
}

/**
 * What reads JSON recurses; this many levels fit the smallest stack easily.
 */
export const DEPTH_CEILING = 512;
