export {
  columnsIn,
  columnsOf,
  DEFAULT_COLUMNS,
  isColumn,
  MAX_COLUMN_LENGTH,
  MAX_COLUMNS,
} from "./columns.ts";
export { FIXED_NAMES, isFilterName, nameOf, OCCURRED } from "./names.ts";
export { type FaultKind, type Filters, parseQuery, type QueryFault } from "./parse-query.ts";
export { partAt, type QueryPart } from "./part-at.ts";
export { printQuery, printValue, termsIn } from "./print-query.ts";
export { isUnordered } from "./unordered.ts";
