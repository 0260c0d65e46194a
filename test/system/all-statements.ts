// Every statement that the services run on tables, with its text and route. Called by the tests of their
// routes, and by their comparison over Citus. It must never run one: a statement that no module exports is
// recorded when what holds it is called.

import {
  type AuditEntryOf,
  auditOutbox,
  type Database,
  type Route,
  schemaCheck,
} from "@annals/postgres";
import { join } from "node:path";
import { PRODUCT, ROOT } from "../../deploy/generate/sources.ts";

export interface Found {
  readonly name: string;
  readonly text: string;
  readonly route: Route;
  readonly customPlan: boolean;
}

const OCCURRED_AT = "2026-01-31T09:30:00.000000Z";

/** The schemas that have an outbox. */
const OUTBOXES = ["ledger", "exports"];
const AUDITED = ["keys", "export", "ledger", "webhook-dispatcher"] as const;

/** By name. */
export async function collectStatements(): Promise<ReadonlyMap<string, Found>> {
  const stores = PRODUCT.filter(({ path }) =>
    /^services\/[^/]+\/src\/(?:[\w-]+\/)?store\//.test(path),
  );
  const modules = await Promise.all(stores.map(({ path }) => importOf(path)));
  const found = modules.flatMap((exports) => statementsIn({ ...exports }));
  const made: Readonly<Record<string, unknown>> = {
    ...(await importOf("libs/postgres/src/outbox-statements.ts")),
  };
  for (const schema of OUTBOXES)
    for (const make of Object.values(made)) {
      if (typeof make === "function") found.push(make(schema));
    }
  for (const service of AUDITED) found.push(...(await auditStatements(service)));
  await schemaCheck(recorderOf(found), {
    schema: "keys",
    directory: join(ROOT, "services/keys/migrations"),
  })();
  return new Map(found.map((each) => [each.name, each]));
}

/** The statements among the exports of a module, and in the objects among them. */
function statementsIn(value: object): Found[] {
  if ("route" in value && "text" in value) return [value as Found];
  return Object.values(value).flatMap((each: unknown) =>
    typeof each === "object" && each !== null ? statementsIn(each) : [],
  );
}

const importOf = (path: string): Promise<object> => import(/* @vite-ignore */ join(ROOT, path));

/** Statements that no module exports are those that are run. */
const recorderOf = (found: Found[]): Database => ({
  run: async (statement) => {
    found.push(statement);
    return [];
  },
});

async function auditStatements(service: (typeof AUDITED)[number]): Promise<Found[]> {
  const { add, addCounted, windows } = auditOutbox(service);
  const found: Found[] = [];
  const recorder = recorderOf(found);
  const entry = {
    accountId: "acct_a",
    action: "annals.any",
    actor: { type: "service" },
    target: { type: "any", id: "a" },
    occurredAt: OCCURRED_AT,
  } as unknown as AuditEntryOf<typeof service>;
  await add(recorder, entry);
  await addCounted(recorder, entry);
  await windows.take(recorder, { account_id: "acct_a", minute: OCCURRED_AT });
  return found;
}
