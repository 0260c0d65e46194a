// What the strict reader takes of one text. The gateway sets the numbers, for each route its own.

export interface ReadLimits {
  /** Objects and arrays open at once: 1 allows `{}` and not `{"a":{}}`. From 0 to 512. */
  maxDepth: number;
  /**
   * Members of objects and elements of arrays in the whole text. They cost more time than their bytes: 4 MiB
   * of made-up names take several times what 4 MiB of text take.
   */
  maxValues: number;
}
