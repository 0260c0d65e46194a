// Every route that changes something, as a row: what it does and what is recorded of it. Called by
// audit.test.ts. A row must be added with a route.

import { eventually } from "@annals/testing";
import type { Change, Made } from "./audit-change.ts";
import { ROLE_CHANGES } from "./audit-role-changes.ts";
import { SINK_CHANGES } from "./audit-sink-changes.ts";

/** An event of the system account's chain, as a list returns it. */
export interface Entry {
  readonly id: string;
  readonly action: string;
  readonly actor: { readonly type: string; readonly id?: string };
  readonly target: { readonly type: string; readonly id: string };
  readonly context: Readonly<Record<string, string>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests look into it freely
  readonly metadata: any;
}

/** Which service records what is done to a thing. */
export const SERVICE_OF: Readonly<Record<string, string>> = {
  key: "keys",
  widget_token: "keys",
  role_mapping: "keys",
  workload: "keys",
  webhook: "webhook-dispatcher",
  sink: "webhook-dispatcher",
  export: "export",
  archive: "export",
  erasure: "ledger",
  search_field: "ledger",
  saved_search: "ledger",
  retention: "ledger",
};

/** What is made before all rows: the account itself. */
export const ACCOUNT = "account";

const WEBHOOK = { url: "https://user:secret@receiver.invalid/secret?token=secret", events: ["*"] };

/** Made by the row of that route, or by one that has the same. */
function of(made: Made, route: string): string {
  const id = made.get(route);
  if (id === undefined) throw new Error(`${route} comes too late in the table`);
  return id;
}

export const CHANGES: readonly Change[] = [
  {
    route: "create-api-key",
    action: "annals.key.created",
    make: async (client) => {
      const answer = await client.post("/v1/api-keys", { name: "one", scopes: ["verify"] });
      return [answer, answer.body.data.id];
    },
  },
  {
    route: "update-api-key",
    action: "annals.key.updated",
    make: async (client, made) => {
      const id = of(made, "create-api-key");
      return [await client.patch(`/v1/api-keys/${id}`, { name: "two" }), id];
    },
  },
  {
    route: "delete-api-key",
    action: "annals.key.revoked",
    make: async (client, made) => {
      const id = of(made, "create-api-key");
      return [await client.delete(`/v1/api-keys/${id}`), id];
    },
  },
  {
    route: "create-key",
    action: "annals.key.created",
    make: async (client) => {
      const answer = await client.post("/v1/keys", { name: "three", scopes: ["verify"] });
      return [answer, answer.body.id];
    },
  },
  {
    route: "delete-key",
    action: "annals.key.revoked",
    make: async (client, made) => {
      const id = of(made, "create-key");
      return [await client.delete(`/v1/keys/${id}`), id];
    },
  },
  {
    route: "create-widget-token",
    action: "annals.widget_token.created",
    make: async (client) => {
      const viewer = { id: "u_private", name: "Ada Lovelace" };
      const answer = await client.post("/v1/widget-tokens", {
        filter: { actor_id: "private" },
        viewer,
      });
      return [answer, answer.body.data.id];
    },
  },
  {
    route: "delete-widget-token",
    action: "annals.widget_token.revoked",
    make: async (client, made) => {
      const id = of(made, "create-widget-token");
      return [await client.delete(`/v1/widget-tokens/${id}`), id];
    },
  },
  {
    route: "create-webhook",
    action: "annals.webhook.created",
    make: async (client) => {
      const url = WEBHOOK.url.replace("user:secret@", "");
      const answer = await client.post("/v1/webhooks", { ...WEBHOOK, url });
      return [answer, answer.body.data.id];
    },
  },
  {
    route: "create-event",
    make: async (client) => {
      const answer = await client.post("/v1/events", { action: "user.login" });
      return [answer, answer.body.data.id];
    },
  },
  {
    route: "create-event-batch",
    make: async (client) => {
      const events = [{ action: "user.logout" }];
      const answer = await client.post("/v1/events/batch", { events });
      return [answer, answer.body.data[0].id];
    },
  },
  {
    route: "store-kubernetes-audit",
    make: async (client) => {
      const list = { apiVersion: "audit.k8s.io/v1", kind: "EventList", items: [] };
      return [await client.post("/v1/intake/kubernetes", list), ""];
    },
  },
  {
    route: "store-cloudevents",
    make: async (client) => {
      const headers = {
        "ce-specversion": "1.0",
        "ce-id": "1",
        "ce-source": "/test",
        "ce-type": "user.login",
      };
      return [await client.post("/v1/intake/cloudevents", {}, { headers }), ""];
    },
  },
  {
    route: "store-otlp-logs",
    make: async (client) => [await client.post("/v1/intake/otlp/v1/logs", {}), ""],
  },
  {
    route: "update-webhook",
    action: "annals.webhook.updated",
    make: async (client, made) => {
      const id = of(made, "create-webhook");
      const body = { events: ["event.created"], filter: { action: "user.*" } };
      return [await client.patch(`/v1/webhooks/${id}`, body), id];
    },
  },
  {
    route: "rotate-secret",
    action: "annals.webhook.secret_rotated",
    make: async (client, made) => {
      const id = of(made, "create-webhook");
      return [await client.post(`/v1/webhooks/${id}/rotate-secret`, {}), id];
    },
  },
  {
    route: "test-webhook",
    action: "annals.webhook.tested",
    make: async (client, made) => {
      const id = of(made, "create-webhook");
      return [await client.post(`/v1/webhooks/${id}/test`), id];
    },
  },
  {
    route: "replay-events",
    action: "annals.webhook.replayed",
    make: async (client, made) => {
      const id = of(made, "create-webhook");
      const range = { from_sequence_number: 1, to_sequence_number: 2 };
      return [await client.post(`/v1/webhooks/${id}/replay`, range), id];
    },
  },
  {
    route: "replay-delivery",
    action: "annals.webhook.replayed",
    make: async (client, made) => {
      const id = of(made, "create-webhook");
      const delivery = await eventually("a delivery is attempted", async () => {
        const { body } = await client.get(`/v1/webhooks/${id}/deliveries`);
        return (body.data as { id: string; event: string }[]).find(
          ({ event }) => event === "event.created",
        );
      });
      const path = `/v1/webhooks/${id}/deliveries/${delivery.id}/replay`;
      return [await client.post(path), id];
    },
  },
  {
    route: "delete-webhook",
    action: "annals.webhook.deleted",
    make: async (client, made) => {
      const id = of(made, "create-webhook");
      return [await client.delete(`/v1/webhooks/${id}`), id];
    },
  },
  ...ROLE_CHANGES,
  ...SINK_CHANGES,
  {
    route: "create-export",
    action: "annals.export.created",
    make: async (client) => {
      const answer = await client.post("/v1/exports", {});
      return [answer, answer.body.data.id];
    },
  },
  {
    route: "get-export-content",
    action: "annals.export.downloaded",
    make: async (client, made) => {
      const id = of(made, "create-export");
      await eventually("the export is completed", async () => {
        const { body } = await client.get(`/v1/exports/${id}`);
        return body.data.status === "completed";
      });
      return [await client.get(`/v1/exports/${id}/content`), id];
    },
  },
  {
    route: "get-archive-events",
    action: "annals.archive.downloaded",
    make: async (client) => [await client.get("/v1/archives/arc_1/events"), "arc_1"],
  },
  {
    route: "get-archive-evidence",
    action: "annals.archive.downloaded",
    make: async (client) => [await client.get("/v1/archives/arc_1/evidence"), "arc_1"],
  },
  {
    route: "create-erasure",
    action: "annals.erasure.requested",
    make: async (client) => {
      const answer = await client.post("/v1/erasures", { actor_id: "private", parts: ["actor"] });
      return [answer, answer.body.data.id];
    },
  },
  {
    route: "cancel-erasure",
    action: "annals.erasure.cancelled",
    make: async (client, made) => {
      const id = of(made, "create-erasure");
      return [await client.delete(`/v1/erasures/${id}`), id];
    },
  },
  {
    route: "set-retention",
    action: "annals.retention.changed",
    make: async (client, made) => [
      await client.send("PUT", "/v1/retention", { body: { days: 36_500 } }),
      of(made, ACCOUNT),
    ],
  },
  {
    route: "place-hold",
    make: async (client) => {
      const answer = await client.post("/v1/holds", { from_sequence: 1, actor_id: "private" });
      return [answer, answer.body.data.id];
    },
  },
  {
    route: "release-hold",
    make: async (client, made) => {
      const id = of(made, "place-hold");
      return [await client.delete(`/v1/holds/${id}`), id];
    },
  },
  {
    route: "delete-export",
    action: "annals.export.deleted",
    make: async (client, made) => {
      const id = of(made, "create-export");
      return [await client.delete(`/v1/exports/${id}`), id];
    },
  },
];
