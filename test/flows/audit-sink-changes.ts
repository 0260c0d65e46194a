// The rows of audit-changes.ts for the routes of sinks. Called by it.

import { markRejected } from "@annals/testing";
import type { Change } from "./audit-change.ts";

const SINK = {
  type: "http",
  config: {
    url: "https://siem.invalid/secret?token=secret",
    headers: { authorization: "Bearer secret" },
  },
  filter: { actor_id: "private" },
};

export const SINK_CHANGES: readonly Change[] = [
  {
    route: "create-sink",
    action: "annals.sink.created",
    make: async (client) => {
      const answer = await client.post("/v1/sinks", SINK);
      return [answer, answer.body.data.id];
    },
  },
  {
    route: "update-sink",
    action: "annals.sink.updated",
    make: async (client, made) => {
      const id = String(made.get("create-sink"));
      return [await client.patch(`/v1/sinks/${id}`, { ...SINK, leave_out: ["diff"] }), id];
    },
  },
  {
    route: "test-sink",
    action: "annals.sink.tested",
    make: async (client, made) => {
      const id = String(made.get("create-sink"));
      return [await client.post(`/v1/sinks/${id}/test`), id];
    },
  },
  {
    route: "replay-sink",
    action: "annals.sink.replayed",
    make: async (client, made) => {
      const id = String(made.get("create-sink"));
      return [await client.post(`/v1/sinks/${id}/replay`, { from_sequence_number: 1 }), id];
    },
  },
  {
    route: "skip-sink-record",
    action: "annals.sink.skipped",
    make: async (client, made, databaseUrl) => {
      const id = String(made.get("create-sink"));
      await markRejected(databaseUrl, String(made.get("account")), 1);
      return [await client.post(`/v1/sinks/${id}/skip`, { sequence_number: 1 }), id];
    },
  },
  {
    route: "delete-sink",
    action: "annals.sink.deleted",
    make: async (client, made) => {
      const id = String(made.get("create-sink"));
      return [await client.delete(`/v1/sinks/${id}`), id];
    },
  },
];
