// Guarantee: every statement is what it declares, of one account, of some, of all, or local, and none has a
// form that a distributed PostgreSQL refuses or runs only in part
// (docs/adr/0046-accounts-are-sharded-by-citus.md).

import { expect, test } from "vitest";
import { collectStatements } from "../system/all-statements.ts";
import { routeFaults } from "./route-rules.ts";
import { schemaFaults, tablesOf } from "./schema-rules.ts";
import { FILES, matches, PRODUCT } from "../../deploy/generate/sources.ts";

/** Statements that break a rule, and why they may. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "ledger.append-events": "calls ledger.append, which runs on the server of its account",
  "ledger.append-to-chains": "only where tables are not distributed: a refusal ends its use",
  "ledger.begin-lifecycle": "calls ledger.begin_lifecycle, which runs on the server of its account",
  "ledger.create-account-heads":
    "only where tables are not distributed: one account each elsewhere",
  "ledger.erase": "calls ledger.erase, which runs on the server of its account",
  "ledger.expire": "calls ledger.expire, which runs on the server of its account",
  "ledger.get-account-heads": "only where tables are not distributed: one account each elsewhere",
  "ledger.forget-field": "calls ledger.forget_field, which runs on the server of its account",
  "ledger.index-field": "calls ledger.index_field, which runs on the server of its account",
  "ledger.index-segment": "calls ledger.index_segment, which runs on the server of its account",
  "ledger.make-runs": "calls ledger.runs_of, which runs on the server of its account",
  "ledger.seal-segment": "calls ledger.seal_segment, which runs on the server of its account",
  "ledger.unindex": "calls ledger.unindex, which runs on the server of its account",
};

const MIGRATIONS = FILES.filter(({ path }) => /^services\/[^/]+\/migrations\/.*\.sql$/.test(path));
const TABLES = tablesOf(MIGRATIONS.map(({ text }) => text));

const STATEMENTS = await collectStatements();

test.for([...STATEMENTS])("%s", ([name, statement]) => {
  const faults = routeFaults(statement, TABLES);
  if (name in EXCEPTIONS) expect(faults).not.toEqual([]);
  else expect(faults).toEqual([]);
});

test.for(MIGRATIONS.map(({ path, text }) => [path, text] as const))("%s", ([, text]) => {
  expect(schemaFaults(text)).toEqual([]);
});

test("every statement that a text names is looked at, and so is every exception", () => {
  const names = PRODUCT.flatMap(({ text }) =>
    matches(text, /`\/\* (?:(?!postgres\b)[a-z]+|\$\{schema\})\.([a-z-]+) \*\//g),
  );
  const looked = new Set([...STATEMENTS.keys()].map((name) => name.replace(/^[a-z]+\./, "")));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => !looked.has(name))).toEqual([]);
  expect(Object.keys(EXCEPTIONS).filter((name) => !STATEMENTS.has(name))).toEqual([]);
});
