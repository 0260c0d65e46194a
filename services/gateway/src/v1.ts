// The table of contents: every route of the interface with its method, path, scope and the file that answers it. Whatever
// is not here is a 404. No logic.

import type { Scope } from "@annals/contract";
import type { HTTPMethods } from "fastify";
import type { Clients } from "./clients.ts";
import type { Limits } from "./config.ts";
import type { Route } from "./route.ts";
import { createApiKey } from "./v1/api-keys/create-api-key.ts";
import { deleteApiKey } from "./v1/api-keys/delete-api-key.ts";
import { listApiKeys } from "./v1/api-keys/list-api-keys.ts";
import { updateApiKey } from "./v1/api-keys/update-api-key.ts";
import { createEventBatch } from "./v1/events/create-event-batch.ts";
import { createEvent } from "./v1/events/create-event.ts";
import type { EventAppends } from "./v1/events/event-appends.ts";
import { getEvent } from "./v1/events/get-event.ts";
import { listEvents } from "./v1/events/list-events.ts";
import { createKey } from "./v1/keys/create-key.ts";
import { deleteKey } from "./v1/keys/delete-key.ts";
import { verifyChain } from "./v1/verify/verify-chain.ts";

export interface Deps extends Clients {
  readonly appends: EventAppends;
  readonly limits: Limits;
}

export type Row = readonly [
  HTTPMethods,
  path: string,
  Scope,
  name: string,
  make: (deps: Deps) => Route,
];

export const V1: readonly Row[] = [
  ["POST", "/api-keys", "keys:manage", "create-api-key", createApiKey],
  ["GET", "/api-keys", "keys:manage", "list-api-keys", listApiKeys],
  ["PATCH", "/api-keys/:id", "keys:manage", "update-api-key", updateApiKey],
  ["DELETE", "/api-keys/:id", "keys:manage", "delete-api-key", deleteApiKey],

  ["POST", "/keys", "keys:manage", "create-key", createKey],
  ["DELETE", "/keys/:key_id", "keys:manage", "delete-key", deleteKey],

  ["POST", "/events", "events:write", "create-event", createEvent],
  ["POST", "/events/batch", "events:write", "create-event-batch", createEventBatch],
  ["GET", "/events", "events:read", "list-events", listEvents],
  ["GET", "/events/:id", "events:read", "get-event", getEvent],

  ["GET", "/verify", "verify", "verify-chain", verifyChain],
];
