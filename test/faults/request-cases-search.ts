// Cases of request-cases.ts of declared fields. A DELETE is measured with what makes the field that it
// deletes.

import { type CostCase, type CostWorld, made, type Send } from "./request-world.ts";

const SMALL = { maxMs: 50 };
const TWO = { maxMs: 90 };
const FIELD = { path: "context.ip", type: "ip" };

/** A deleted field stays until the index has forgotten it: a request forgets those before it. */
const declaredAndDeleted =
  ({ fresh, owner }: CostWorld): Send =>
  async () => {
    await owner.query("DELETE FROM ledger.fields WHERE account_id = $1", [fresh.accountId]);
    const { id } = await made(fresh.post("/v1/search/fields", FIELD));
    return fresh.delete(`/v1/search/fields/${id}`);
  };

export const SEARCH_CASES: readonly CostCase[] = [
  {
    ...SMALL,
    route: "GET /search/fields",
    what: "declared fields",
    make:
      ({ worked }: CostWorld): Send =>
      () =>
        worked.get("/v1/search/fields"),
  },
  {
    ...TWO,
    route: "POST /search/fields",
    what: "a field that is declared and deleted",
    status: 204,
    make: declaredAndDeleted,
  },
  {
    ...TWO,
    route: "DELETE /search/fields/:id",
    what: "a field that is deleted",
    status: 204,
    make: declaredAndDeleted,
  },
];
