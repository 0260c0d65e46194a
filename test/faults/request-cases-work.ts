// Cases of request-cases.ts whose request makes workers read a chain: exports, replays and erasures. Each is
// measured until its work has ended.

import { eventually } from "@annals/testing";
import { type CostCase, type CostWorld, made, type Send, WORK_EVENTS } from "./request-world.ts";
import { untilCovered } from "../system/covered.ts";

const WITHIN_MS = 120_000;

/** An export of all events, which is deleted when it is completed. */
const exported =
  (format: string) =>
  async ({ worked }: CostWorld): Promise<Send> => {
    if (format === "evidence") await untilCovered(worked, WORK_EVENTS);
    return async () => {
      const answer = await worked.post("/v1/exports", { format });
      const { id } = answer.body.data;
      await completed(worked, id);
      await made(worked.delete(`/v1/exports/${id}`), 204);
      return answer;
    };
  };

const completed = (client: CostWorld["worked"], id: string) =>
  eventually(
    "the export is completed",
    async () => (await client.get(`/v1/exports/${id}`)).body.data.status === "completed",
    WITHIN_MS,
  );

const newSink = (world: CostWorld, config: object, more: object = {}) =>
  made(
    world.worked.post("/v1/sinks", {
      type: "http",
      config: { url: world.receiver.url(), ...config },
      ...more,
    }),
  );

/** A sink that sends the whole chain, or what a filter finds in it. */
const replayed =
  (more: object) =>
  async (world: CostWorld): Promise<Send> => {
    const { id } = await newSink(world, {}, more);
    const atEnd = async () => {
      const { body } = await world.worked.get(`/v1/sinks/${id}/status`);
      return body.data.cursor >= WORK_EVENTS;
    };
    return async () => {
      world.receiver.received.length = 0;
      const answer = await world.worked.post(`/v1/sinks/${id}/replay`, { from_sequence_number: 1 });
      await eventually("the sink is at the end of its chain", atEnd, WITHIN_MS);
      return answer;
    };
  };

/** The receiver answers with what a sink must hide, as long as an answer that is read. */
async function tested(world: CostWorld): Promise<Send> {
  const headers = { "X-One": `${"%".repeat(3_500)}b`, "X-Two": `${"%".repeat(3_000)}c` };
  const { id } = await newSink(world, { headers }, { active: false });
  const echo = "%25".repeat(21_845);
  return async () => {
    world.receiver.answer = (response) => void response.writeHead(500).end(echo);
    const answer = await world.worked.post(`/v1/sinks/${id}/test`);
    world.receiver.answer = (response) => void response.writeHead(204).end();
    return answer;
  };
}

async function subscribed(world: CostWorld) {
  const hook = { url: world.receiver.url(), events: ["export.completed"] };
  const { id } = await made(world.worked.post("/v1/webhooks", hook));
  const path = `/v1/webhooks/${id}`;
  const sent = async (count: number) =>
    eventually(
      "deliveries have come",
      async () => world.receiver.received.length >= count,
      WITHIN_MS,
    );
  const test = async () => {
    world.receiver.received.length = 0;
    const answer = await world.worked.post(`${path}/test`);
    await sent(1);
    return answer;
  };
  await test();
  const first = () =>
    eventually("the delivery is recorded", async () => {
      const { body } = await world.worked.get(`${path}/deliveries`);
      return body.data[0]?.status === "success" ? (body.data[0].id as string) : undefined;
    });
  return { path, sent, test, first };
}

/** Events that one replay to a webhook may name. */
const RANGE = 1_000;

export const WORK_CASES: readonly CostCase[] = [
  // Some 0.1 ms for each event.
  {
    maxMs: 4_000,
    route: "POST /exports",
    what: "export, jsonl",
    status: 201,
    calls: 2,
    make: exported("jsonl"),
  },
  {
    maxMs: 4_000,
    route: "POST /exports",
    what: "export, csv",
    status: 201,
    calls: 2,
    make: exported("csv"),
  },
  {
    maxMs: 6_000,
    route: "POST /exports",
    what: "export, parquet",
    status: 201,
    calls: 2,
    make: exported("parquet"),
  },
  {
    maxMs: 6_000,
    route: "POST /exports",
    what: "export, evidence",
    status: 201,
    calls: 2,
    make: exported("evidence"),
  },
  {
    maxMs: 1_500,
    route: "DELETE /exports/:id",
    what: "export that is created and deleted at once",
    status: 204,
    calls: 5,
    make:
      ({ worked }) =>
      async () => {
        const { id } = await made(worked.post("/v1/exports", { format: "jsonl" }));
        return worked.delete(`/v1/exports/${id}`);
      },
  },
  {
    maxMs: 400,
    route: "GET /exports/:id/content",
    what: "content of an export",
    calls: 5,
    make: async ({ worked }) => {
      const { id } = await made(
        worked.post("/v1/exports", { format: "csv", include_proofs: true }),
      );
      await completed(worked, id);
      return () => worked.get(`/v1/exports/${id}/content`);
    },
  },
  {
    maxMs: 5_000,
    route: "POST /sinks/:id/replay",
    what: "replay of a sink",
    calls: 2,
    make: replayed({}),
  },
  {
    maxMs: 1_000,
    route: "POST /sinks/:id/replay",
    what: "replay of a sink whose filter finds nothing",
    calls: 2,
    make: replayed({ filter: { action: ["no.such"] } }),
  },
  {
    maxMs: 50,
    route: "POST /sinks/:id/skip",
    what: "skip of an event that no receiver refuses",
    status: 422,
    calls: 5,
    make: async (world) => {
      const { id } = await newSink(world, {}, { active: false });
      return () => world.worked.post(`/v1/sinks/${id}/skip`, { sequence_number: 1 });
    },
  },
  {
    maxMs: 200,
    route: "POST /sinks/:id/test",
    what: "test of a sink, with an echo of its headers",
    calls: 5,
    make: tested,
  },
  {
    maxMs: 150,
    route: "POST /webhooks/:id/test",
    what: "test of a webhook",
    status: 201,
    calls: 5,
    make: async (world) => (await subscribed(world)).test,
  },
  {
    maxMs: 150,
    route: "POST /webhooks/:id/deliveries/:delivery_id/replay",
    what: "replay of a delivery",
    status: 201,
    calls: 5,
    make: async (world) => {
      const { first, path, sent } = await subscribed(world);
      const id = await first();
      return async () => {
        world.receiver.received.length = 0;
        const answer = await world.worked.post(`${path}/deliveries/${id}/replay`);
        await sent(1);
        return answer;
      };
    },
  },
  {
    maxMs: 6_000,
    route: "POST /webhooks/:id/replay",
    what: `replay of ${RANGE.toLocaleString("en")} events to a webhook`,
    status: 201,
    calls: 2,
    make: async (world) => {
      const { path, sent } = await subscribed(world);
      await made(world.worked.patch(path, { events: ["event.created"] }), 200);
      return async () => {
        world.receiver.received.length = 0;
        const range = { from_sequence_number: 1, to_sequence_number: RANGE };
        const answer = await world.worked.post(`${path}/replay`, range);
        await sent(RANGE);
        return answer;
      };
    },
  },
  {
    maxMs: 300,
    route: "POST /erasures",
    what: "erasure of the actor of all events, and its cancellation",
    status: 201,
    calls: 5,
    make: erasure((asked) => asked),
  },
  {
    maxMs: 300,
    route: "DELETE /erasures/:id",
    what: "erasure that is cancelled",
    status: 204,
    calls: 5,
    make: erasure((_, cancelled) => cancelled),
  },
];

function erasure(answered: <T>(asked: T, cancelled: T) => T): (world: CostWorld) => Send {
  return ({ searched }) =>
    async () => {
      const asked = await searched.post("/v1/erasures", { actor_id: "u_1", parts: ["actor"] });
      return answered(asked, await searched.delete(`/v1/erasures/${asked.body.data?.id}`));
    };
}
