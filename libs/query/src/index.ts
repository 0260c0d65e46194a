export { FIXED_NAMES, isFilterName, nameOf, OCCURRED } from "./names.ts";
export { type FaultKind, type Filters, parseQuery, type QueryFault } from "./parse-query.ts";
export { partAt, type QueryPart } from "./part-at.ts";
export { printQuery, printValue, termsIn } from "./print-query.ts";
