// Cases of request-cases.ts that change one thing, or store events. A DELETE is measured with what makes the
// thing that it deletes.

import { URL_OF_NOBODY } from "../system/bad-bodies.ts";
import { type CostCase, type CostWorld, made, type Send } from "./request-world.ts";

type Client = CostWorld["fresh"];

/** Sends as an account that has little. */
export const one =
  (send: (client: Client, n: number) => ReturnType<Client["get"]>) =>
  ({ fresh }: CostWorld): Send => {
    let n = 0;
    return () => send(fresh, (n += 1));
  };

/** Sends a request for one thing that is made before. */
const ofOne =
  (
    path: string,
    body: object,
    send: (client: Client, path: string, n: number) => ReturnType<Client["get"]>,
  ) =>
  async ({ fresh }: CostWorld): Promise<Send> => {
    const { id } = await made(fresh.post(path, body));
    let n = 0;
    return () => send(fresh, `${path}/${id}`, (n += 1));
  };

/** Sends a request with a new idempotency key, as an account that has almost all keys that it may have. */
const keyed =
  (path: string, body: object, [schema, operation]: readonly [string, string]) =>
  async ({ fresh, owner }: CostWorld): Promise<Send> => {
    await owner.query(
      `INSERT INTO ${schema}.idempotent_requests
       SELECT $1, $2, 'kept ' || n, sha256(''), '', now() FROM generate_series(1, $3::integer) AS n`,
      [fresh.accountId, operation, KEPT_KEYS],
    );
    let n = 0;
    return () => fresh.post(path, body, { headers: { "idempotency-key": `new ${(n += 1)}` } });
  };

/** Makes a thing and deletes it. */
const andDelete =
  (path: string, body: object, deleted = path) =>
  ({ fresh }: CostWorld): Send =>
  async () => {
    const { id } = await made(fresh.post(path, body));
    return fresh.delete(`${deleted}/${id}`);
  };

/** The bound is 1,000, and each request that is measured adds one. */
const KEPT_KEYS = 950;
const KEY = { name: "measured" };
/** Nothing that is measured makes deliveries of it: they would be in what comes after. */
const HOOK = { url: URL_OF_NOBODY, events: ["export.completed"] };
const SINK = { type: "http", config: { url: URL_OF_NOBODY }, active: false };
const HOLD = { from_sequence: 1 };
const MAPPING = { provider: "okta", group: "readers", role: "viewer" };
const WORKLOAD = { name: "one", issuer: "cluster", subject: "s", scopes: ["verify"] };
const TINY = { events: Array.from({ length: 1_000 }, () => ({ action: "a" })) };
const ESCAPES = JSON.stringify({
  events: Array.from({ length: 60 }, () => ({
    action: "a",
    metadata: { text: "\u0001".repeat(10_000) },
  })),
});

const SMALL = { maxMs: 50 };
const TWO = { maxMs: 90 };

export const CHANGE_CASES: readonly CostCase[] = [
  {
    ...SMALL,
    route: "POST /events",
    what: "one event",
    status: 201,
    make: one((client) => client.post("/v1/events", { action: "a" })),
  },
  {
    maxMs: 120,
    route: "POST /events/batch",
    what: "batch of 1,000 tiny events",
    status: 201,
    make: one((client) => client.post("/v1/events/batch", TINY)),
  },
  {
    maxMs: 900,
    route: "POST /events/batch",
    what: `batch of ${(ESCAPES.length / 1e6).toFixed(1)} MB of escapes`,
    status: 201,
    calls: 5,
    make: one((client) => client.post("/v1/events/batch", ESCAPES)),
  },
  {
    ...SMALL,
    route: "POST /api-keys",
    what: "a key that is created",
    status: 201,
    make: one((client) => client.post("/v1/api-keys", KEY)),
  },
  {
    ...TWO,
    route: "POST /api-keys",
    what: "a key that is created with an idempotency key",
    status: 201,
    make: keyed("/v1/api-keys", KEY, ["keys", "create-api-key"]),
  },
  {
    ...SMALL,
    route: "PATCH /api-keys/:id",
    what: "a key that is changed",
    make: ofOne("/v1/api-keys", KEY, (client, path, n) =>
      client.patch(path, { name: `name ${n}` }),
    ),
  },
  {
    ...TWO,
    route: "DELETE /api-keys/:id",
    what: "a key that is created and deleted",
    status: 204,
    make: andDelete("/v1/api-keys", KEY),
  },
  {
    ...SMALL,
    route: "POST /keys",
    what: "a key that is created in the other form",
    status: 201,
    make: one((client) => client.post("/v1/keys", KEY)),
  },
  {
    ...TWO,
    route: "DELETE /keys/:key_id",
    what: "a key that is created and deleted in the other form",
    status: 204,
    make: andDelete("/v1/keys", KEY),
  },
  {
    ...SMALL,
    route: "POST /webhooks",
    what: "a webhook that is created",
    status: 201,
    make: one((client) => client.post("/v1/webhooks", HOOK)),
  },
  {
    ...TWO,
    route: "POST /webhooks",
    what: "a webhook that is created with an idempotency key",
    status: 201,
    make: keyed("/v1/webhooks", HOOK, ["webhooks", "create-webhook"]),
  },
  {
    ...SMALL,
    route: "PATCH /webhooks/:id",
    what: "a webhook that is changed",
    make: ofOne("/v1/webhooks", HOOK, (client, path, n) =>
      client.patch(path, { active: n % 2 === 0 }),
    ),
  },
  {
    ...TWO,
    route: "DELETE /webhooks/:id",
    what: "a webhook that is created and deleted",
    status: 204,
    make: andDelete("/v1/webhooks", HOOK),
  },
  {
    ...SMALL,
    route: "GET /webhooks/:id/deliveries",
    what: "list of deliveries",
    make: ofOne("/v1/webhooks", HOOK, (client, path) => client.get(`${path}/deliveries?limit=100`)),
  },
  {
    ...SMALL,
    route: "POST /webhooks/:id/rotate-secret",
    what: "a secret that is rotated",
    make: ofOne("/v1/webhooks", HOOK, (client, path) => client.post(`${path}/rotate-secret`, {})),
  },
  {
    ...SMALL,
    route: "POST /widget-tokens",
    what: "a widget token that is created",
    status: 201,
    make: one((client) => client.post("/v1/widget-tokens", {})),
  },
  {
    ...TWO,
    route: "DELETE /widget-tokens/:id",
    what: "a widget token that is created and deleted",
    status: 204,
    make: andDelete("/v1/widget-tokens", {}),
  },
  {
    ...TWO,
    route: "POST /sinks",
    what: "a sink that is created",
    status: 201,
    calls: 5,
    make: one((client) => client.post("/v1/sinks", SINK)),
  },
  {
    ...TWO,
    route: "DELETE /sinks/:id",
    what: "a sink that is created and deleted",
    status: 204,
    make: andDelete("/v1/sinks", SINK),
  },
  {
    ...SMALL,
    route: "GET /sinks/:id",
    what: "a sink",
    make: ofOne("/v1/sinks", SINK, (client, path) => client.get(path)),
  },
  {
    ...SMALL,
    route: "PATCH /sinks/:id",
    what: "a sink that is changed",
    make: ofOne("/v1/sinks", SINK, (client, path, n) =>
      client.patch(path, { include_proof: n % 2 === 0 }),
    ),
  },
  {
    ...SMALL,
    route: "GET /sinks/:id/status",
    what: "status of a sink",
    make: ofOne("/v1/sinks", SINK, (client, path) => client.get(`${path}/status`)),
  },
  {
    ...SMALL,
    route: "POST /holds",
    what: "a hold that is placed",
    status: 201,
    make: one((client) => client.post("/v1/holds", HOLD)),
  },
  {
    ...SMALL,
    route: "POST /holds",
    what: "a hold that is placed with an idempotency key",
    status: 201,
    make: keyed("/v1/holds", HOLD, ["ledger", "place-hold"]),
  },
  {
    ...TWO,
    route: "DELETE /holds/:id",
    what: "a hold that is placed and released",
    status: 204,
    make: andDelete("/v1/holds", HOLD),
  },
  {
    ...TWO,
    route: "POST /role-mappings",
    what: "a role mapping that is created and deleted",
    status: 204,
    make: andDelete("/v1/role-mappings", MAPPING),
  },
  {
    ...TWO,
    route: "DELETE /role-mappings/:id",
    what: "a role mapping that is deleted",
    status: 204,
    make: andDelete("/v1/role-mappings", MAPPING),
  },
  {
    ...TWO,
    route: "POST /workloads",
    what: "a workload that is created and deleted",
    status: 204,
    make: andDelete("/v1/workloads", WORKLOAD),
  },
  {
    ...TWO,
    route: "DELETE /workloads/:id",
    what: "a workload that is deleted",
    status: 204,
    make: andDelete("/v1/workloads", WORKLOAD),
  },
  {
    ...SMALL,
    route: "PUT /retention",
    what: "retention that is set",
    make: one((client, n) => client.send("PUT", "/v1/retention", { body: { days: 30 + (n % 2) } })),
  },
];
