// The sheets that the element adopts, in the order in which they win over each other.

import { columnStyles } from "./column-styles.ts";
import { countsStyles } from "./counts-styles.ts";
import { detailStyles } from "./detail-styles.ts";
import { narrowStyles } from "./narrow-styles.ts";
import { queryStyles } from "./query-styles.ts";
import { styles } from "./styles.ts";

export const allStyles = [
  detailStyles,
  styles,
  queryStyles,
  countsStyles,
  narrowStyles,
  columnStyles,
];
