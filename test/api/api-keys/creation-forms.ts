// The requests that create something once for an Idempotency-Key, and where it is kept. Called by the tests
// of retried and of concurrent creations.

import type { Scope } from "@annals/contract";
import type { Answer } from "@annals/testing";
import { URL_OF_NOBODY } from "../../system/bad-bodies.ts";
import { SINK } from "../sinks/sink-bodies.ts";

export interface Form {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly other: Readonly<Record<string, unknown>>;
  readonly table: string;
  readonly rows: string;
  readonly operation: string;
  /** Without which its list is refused, too. Default: keys:manage. */
  readonly scope?: Scope;
  /** The lock of the account under which it is created; by default that of its schema. */
  readonly lock?: (accountId: string) => string;
}

const API_KEY = {
  body: { name: "deploy", scopes: ["verify"] },
  other: { name: "deploy", scopes: ["export"] },
  table: "keys.idempotent_requests",
  rows: "keys.api_keys",
  operation: "create-api-key",
};
const WEBHOOK = { url: URL_OF_NOBODY, events: ["*"] };
export const FORMS: readonly [Form, ...Form[]] = [
  { path: "/v1/api-keys", ...API_KEY },
  { path: "/v1/keys", ...API_KEY },
  {
    path: "/v1/webhooks",
    body: WEBHOOK,
    other: { ...WEBHOOK, active: false },
    table: "webhooks.idempotent_requests",
    rows: "webhooks.webhooks",
    operation: "create-webhook",
  },
  {
    path: "/v1/sinks",
    body: { ...SINK, active: false },
    other: { ...SINK, active: false, format: "ecs" },
    table: "webhooks.idempotent_requests",
    rows: "webhooks.sinks",
    operation: "create-sink",
  },
  {
    path: "/v1/holds",
    body: { from_sequence: 1, actor_id: "u_1" },
    other: { from_sequence: 2, actor_id: "u_1" },
    table: "ledger.idempotent_requests",
    rows: "ledger.holds",
    operation: "place-hold",
  },
  {
    path: "/v1/searches",
    body: { name: "of u_1", filter: { actor_id: "u_1", text: "abc" }, view: { by: "action" } },
    other: { name: "of u_2", filter: { actor_id: "u_1", text: "abc" } },
    table: "ledger.idempotent_requests",
    rows: "ledger.searches",
    operation: "create-saved-search",
    scope: "events:read",
    lock: (id) => `pg_advisory_xact_lock(hashtextextended('annals.searches ${id}', 0))`,
  },
];

export const objectOf = ({ path }: Form, body: Answer["body"]): Record<string, unknown> =>
  path === "/v1/keys" ? body : body.data;
