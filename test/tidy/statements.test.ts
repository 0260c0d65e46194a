// Guarantee: every statement is what it declares, of one account, of some, of all, or local, and none has a
// form that a distributed PostgreSQL refuses or runs only in part (docs/adr/0007).

import {
  type AuditEntryOf,
  auditOutbox,
  type Database,
  type Route,
  schemaCheck,
} from "@annals/postgres";
import { join } from "node:path";
import { expect, test } from "vitest";
import { routeFaults } from "./route-rules.ts";
import { schemaFaults, tablesOf } from "./schema-rules.ts";
import { FILES, matches, PRODUCT, ROOT } from "../../deploy/generate/sources.ts";

/** Statements that break a rule, and why they may. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "ledger.append-events": "calls ledger.append, which runs on the server of its account",
  "ledger.append-to-chains": "only where tables are not distributed: a refusal ends its use",
  "ledger.index-chunk": "calls ledger.index_chunk, which runs on the server of its account",
};

const MIGRATIONS = FILES.filter(({ path }) => /^services\/[^/]+\/migrations\/.*\.sql$/.test(path));
const TABLES = tablesOf(MIGRATIONS.map(({ text }) => text));

interface Found {
  readonly name: string;
  readonly text: string;
  readonly route: Route;
}

/** The statements among the exports of a module, and in the objects among them. */
function statementsIn(value: object): Found[] {
  if ("route" in value && "text" in value) return [value as Found];
  return Object.values(value).flatMap((each: unknown) =>
    typeof each === "object" && each !== null ? statementsIn(each) : [],
  );
}

const importOf = (path: string): Promise<object> => import(/* @vite-ignore */ join(ROOT, path));

const STORES = PRODUCT.filter(({ path }) => /^services\/[^/]+\/src\/store\//.test(path));
const found = (await Promise.all(STORES.map(({ path }) => importOf(path)))).flatMap((exports) =>
  statementsIn({ ...exports }),
);

/** Statements that no module exports are those that are run. */
const recorder: Database = {
  run: async (statement) => {
    found.push(statement);
    return [];
  },
};

const OUTBOX: Readonly<Record<string, unknown>> = {
  ...(await importOf("libs/postgres/src/outbox-statements.ts")),
};
for (const schema of ["ledger", "exports"])
  for (const make of Object.values(OUTBOX)) {
    if (typeof make === "function") found.push(make(schema));
  }

for (const service of ["keys", "export", "webhook-dispatcher"] as const) {
  const { add, addCounted, list, remove, windows } = auditOutbox(service);
  const occurredAt = "2026-01-31T09:30:00.000000Z";
  const entry = {
    accountId: "acct_a",
    action: "annals.any",
    actor: { type: "service" },
    target: { type: "any", id: "a" },
    occurredAt,
  } as unknown as AuditEntryOf<typeof service>;
  await add(recorder, entry);
  await addCounted(recorder, entry);
  await windows.take(recorder, { account_id: "acct_a", minute: occurredAt });
  found.push(list, remove, windows.list);
}

await schemaCheck(recorder, {
  schema: "keys",
  directory: join(ROOT, "services/keys/migrations"),
})();

const STATEMENTS = new Map(found.map((each) => [each.name, each]));

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
