// What keeps a distributed PostgreSQL from routing a statement by its account. Called by the tests of the
// services' statements. It looks at the text only: it does not notice a part of a statement that names no
// account beside one that does.

const WRITE = /\b(INSERT|UPDATE|DELETE|FOR SHARE)\b/;
const OF_ACCOUNT = /\baccount_id = (\$|ANY \(\$)|VALUES \(\$1::text|SELECT \$1::text/;
/** Each with what it stands for. */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["a CTE that writes", /\bAS (MATERIALIZED )?\(\s*(INSERT|UPDATE|DELETE)\b/],
  ["a clock that moves", /clock_timestamp\(\)/],
  ["a clock in COALESCE", /coalesce\([^)]*timestamp\(\)/],
  ["a list without columns", /SELECT FROM/],
  ["recursion", /\bRECURSIVE\b/],
  ["unnest in RETURNING", /RETURNING[^`]*unnest\(/],
];

export function routingFaults(text: string): string[] {
  const found = REFUSED.filter(([, form]) => form.test(text)).map(([name]) => name);
  return WRITE.test(text) && !OF_ACCOUNT.test(text) ? [...found, "a write of all accounts"] : found;
}
