// The OpenAPI 3.1 document, made of the table v1.ts and of the schemas that its routes validate with. Details
// that the interface leaves open carry `x-annals-open-detail: true`. Called by pages.ts.

import { V1 } from "../v1.ts";
import type { Deps } from "../deps.ts";
import { sharedFailures } from "./failures.ts";
import { HEADERS } from "./headers.ts";
import { type NamedRoute, operationOf } from "./operation.ts";
import type { Components } from "./schemas.ts";
import { DELIVERIES_TAG, webhooksOf } from "./webhooks.ts";

/** Tags by the first part of the path. */
const TAGS: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  "api-keys": { name: "API keys", description: "Create, list, rename and revoke keys." },
  keys: { name: "Keys", description: "An alternative way to create and revoke API keys." },
  log: {
    name: "Log",
    description:
      "Evidence against the operator: tiles, checkpoints and proofs of C2SP's transparency logs.",
  },
  events: { name: "Events", description: "Store and read events." },
  usage: { name: "Usage", description: "What a key may do, and how much of each limit is used." },
  verify: { name: "Verification", description: "Verify the hash chain." },
  exports: { name: "Exports", description: "Write a range of the log to a file." },
  intake: {
    name: "Intake",
    description: "Store what other systems send, in their own format.",
  },
  erasures: { name: "Erasures", description: "Erase parts of stored events." },
  holds: { name: "Holds", description: "Keep events from erasure and from retention." },
  retention: {
    name: "Retention",
    description: "Set how long events are kept, and see what was deleted.",
  },
  archives: { name: "Archives", description: "Download what retention deletes." },
  "role-mappings": {
    name: "Role mappings",
    description: "Give roles to people, by groups of an identity provider.",
  },
  people: { name: "People", description: "See who has a role and has logged in." },
  search: { name: "Search", description: "Declare fields of events that filters may name." },
  searches: { name: "Searches", description: "Keep searches for those who read the events." },
  sinks: { name: "Sinks", description: "Send the events, in order, to a SIEM or a bucket." },
  widget: {
    name: "Widget",
    description: "Read events with a widget token, from a browser.",
  },
  "widget-tokens": { name: "Widget tokens", description: "Create, list and revoke widget tokens." },
  webhooks: { name: "Webhooks", description: "Subscribe to events, and see what was sent." },
  workloads: {
    name: "Workloads",
    description: "Trust programs by the tokens that their platform gives them.",
  },
};

const DESCRIPTION = `An audit log whose events form a hash chain that anyone can verify.

${[
  "Every request under `/v1` carries `Authorization: Bearer <API key>`. Most operations need a scope of the key. Those",
  "under `/v1/widget` take a widget token instead of a key.",
  "Bodies are JSON. Members and parameters that are not described here are rejected. Every response has the rate-limit",
  "headers. Every other path or method returns 404. `x-annals-open-detail` marks a choice of this product.",
].join(" ")}`;

export function openApiDocument(deps: Deps) {
  const schemas: Components = {};
  const paths: Record<string, Record<string, object>> = {};
  const nouns = new Set<string>();
  for (const [method, url, scope, name, make] of V1) {
    const noun = url.split("/")[1] ?? "";
    nouns.add(noun);
    const named: NamedRoute = { name, scope, tag: tagOf(noun).name, route: make(deps) };
    // What a wildcard matches is the parameter `index`, which may contain slashes.
    const path = `/v1${url.replaceAll(/:(\w+)/g, "{$1}").replace("*", "{index}")}`;
    (paths[path] ??= {})[String(method).toLowerCase()] = operationOf(named, schemas);
  }
  const webhooks = webhooksOf(schemas);
  const responses = sharedFailures(schemas);
  return {
    openapi: "3.1.0",
    info: {
      title: "Annals",
      version: "1",
      summary: "An audit log service.",
      description: DESCRIPTION,
      contact: { name: "The operator of this service" },
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: "/", description: "The service that serves this document." }],
    security: [{ apiKey: [] }],
    tags: [...Array.from(nouns, tagOf), DELIVERIES_TAG].toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    ),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "API key",
          description:
            "An API key, `<prefix>_sk_<random>`. Each operation says which scope the key needs.",
        },
        widgetToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "Widget token",
          description:
            "A widget token, `<prefix>_wt_<random>`, for the operations under `/v1/widget`.",
        },
      },
      schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      headers: HEADERS,
      responses,
    },
  };
}

function tagOf(noun: string) {
  return TAGS[noun] ?? { name: noun, description: "" };
}
