// Cases of request-cases.ts of lists by a text, of declared fields and of saved searches. A DELETE is
// measured with what makes the thing that it deletes.

import { newToken } from "../system/widget-client.ts";
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

const SEARCHES = 100;
const LARGE_SEARCH = {
  name: "large",
  filter: { actor_id: Array.from({ length: 10 }, (_, n) => `${n}${"x".repeat(254)}`) },
  view: { columns: Array.from({ length: 9 }, () => "c".repeat(128)) },
};

const savedAndDeleted =
  ({ fresh }: CostWorld): Send =>
  async () => {
    const { id } = await made(fresh.post("/v1/searches", LARGE_SEARCH));
    return fresh.delete(`/v1/searches/${id}`);
  };

/** Long, and nearly what large events have: they repeat one letter. */
const LIST = `events?limit=100&text=${"x".repeat(127)}y`;
const PARTS = ["actor.meta", "target.meta", "context", "diff", "metadata"];

type Searched = "large" | "searched";
const byText =
  (whose: Searched) =>
  (world: CostWorld): Send =>
  () =>
    world[whose].get(`/v1/${LIST}`);
const widgetByText =
  (whose: Searched) =>
  async (world: CostWorld): Promise<Send> => {
    const { widget } = await newToken(world[whose], { parts: PARTS });
    return () => widget.get(`/v1/widget/${LIST}`);
  };
const TEXT = { maxMs: 100, route: "GET /events", isEmpty: true } as const;
const WIDGET_TEXT = { maxMs: 50, route: "GET /widget/events", isEmpty: true } as const;

/** All values of a chain, of which each actor has few events. */
const BARS = "events/histogram?by=actor_id";
const VALUES = "events/facets?field=actor_id&field=target_id&field=action";
const counted =
  (path: string) =>
  ({ searched }: CostWorld): Send =>
  () =>
    searched.get(`/v1/${path}`);
const widgetCounted =
  (path: string) =>
  async ({ searched }: CostWorld): Promise<Send> => {
    const { widget } = await newToken(searched, { parts: PARTS });
    return () => widget.get(`/v1/widget/${path}`);
  };
const COUNTED = { maxMs: 250 };
const WIDGET_COUNTED = { maxMs: 50 };

export const SEARCH_CASES: readonly CostCase[] = [
  { ...TEXT, what: "list by a text, none found", make: byText("searched") },
  { ...TEXT, what: "list by a text in events of 64 KB", make: byText("large") },
  { ...WIDGET_TEXT, what: "widget list by a text, none found", make: widgetByText("searched") },
  { ...WIDGET_TEXT, what: "widget list by a text in events of 64 KB", make: widgetByText("large") },
  {
    ...COUNTED,
    route: "GET /events/histogram",
    what: "bars by actor, to the end of the budget",
    make: counted(BARS),
  },
  {
    ...COUNTED,
    route: "GET /events/histogram",
    what: "bars of what a text finds",
    make: counted(`events/histogram?text=${"x".repeat(127)}y`),
  },
  {
    ...COUNTED,
    route: "GET /events/facets",
    what: "facets of three fields",
    make: counted(VALUES),
  },
  {
    ...WIDGET_COUNTED,
    route: "GET /widget/events/histogram",
    what: "widget bars by actor",
    make: widgetCounted(BARS),
  },
  {
    ...WIDGET_COUNTED,
    route: "GET /widget/events/facets",
    what: "widget facets of three fields",
    make: widgetCounted(VALUES),
  },
  {
    ...COUNTED,
    route: "GET /events/facets",
    what: "facet of a declared field that repeats no value",
    make: counted("events/facets?field=field.request"),
  },
  {
    ...COUNTED,
    route: "GET /events/histogram",
    what: "bars by a declared field that repeats no value",
    make: counted("events/histogram?by=field.request"),
  },
  {
    ...WIDGET_COUNTED,
    route: "GET /widget/events/facets",
    what: "widget facet of a declared field that repeats no value",
    make: widgetCounted("events/facets?field=field.request"),
  },
  {
    ...WIDGET_COUNTED,
    route: "GET /widget/events/histogram",
    what: "widget bars by a declared field that repeats no value",
    make: widgetCounted("events/histogram?by=field.request"),
  },
  {
    ...WIDGET_COUNTED,
    route: "GET /widget/events/facets",
    what: "widget facets of two declared fields and the action",
    make: widgetCounted("events/facets?field=field.request&field=field.region&field=action"),
  },
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
    route: "GET /search/paths",
    what: "paths of the newest events",
    make:
      ({ worked }: CostWorld): Send =>
      () =>
        worked.get("/v1/search/paths"),
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
  {
    ...SMALL,
    route: "GET /searches",
    what: "100 saved searches of 4 KiB",
    make: async ({ worked }: CostWorld): Promise<Send> => {
      for (let n = 0; n < SEARCHES; n += 1)
        // oxlint-disable-next-line no-await-in-loop -- in order
        await made(worked.post("/v1/searches", LARGE_SEARCH));
      return () => worked.get("/v1/searches");
    },
  },
  {
    ...TWO,
    route: "POST /searches",
    what: "a search that is saved and deleted",
    status: 204,
    make: savedAndDeleted,
  },
  {
    ...TWO,
    route: "DELETE /searches/:id",
    what: "a saved search that is deleted",
    status: 204,
    make: savedAndDeleted,
  },
  {
    ...SMALL,
    route: "PATCH /searches/:id",
    what: "a saved search that is changed",
    make: async ({ fresh }: CostWorld): Promise<Send> => {
      const { id } = await made(fresh.post("/v1/searches", LARGE_SEARCH));
      return () => fresh.patch(`/v1/searches/${id}`, LARGE_SEARCH);
    },
  },
];
