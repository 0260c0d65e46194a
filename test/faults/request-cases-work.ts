// Cases of request-cases.ts whose request makes workers read a chain: exports, replays and erasures. Each is
// measured until its work has ended.

import { eventually } from "@annals/testing";
import { answered, type CostCase, type CostWorld, made, type Send } from "./request-world.ts";
import { untilCovered } from "../system/covered.ts";

const WITHIN_MS = 120_000;

/** An export of all events, which is deleted when it is completed. */
const exported =
  (format: string) =>
  async ({ owner, worked, workEvents }: CostWorld): Promise<Send> => {
    if (format === "evidence") await untilCovered(worked, workEvents);
    return async () => {
      const answer = await answered(worked.post("/v1/exports", { format }));
      const { id } = answer.body.data;
      await completed(owner, id);
      await made(worked.delete(`/v1/exports/${id}`), 204);
      return answer;
    };
  };

async function completed(owner: CostWorld["owner"], id: string): Promise<void> {
  const isCompleted = async () => {
    const text = "SELECT id FROM exports.jobs WHERE id = $1 AND status = 'completed'";
    return (await owner.query(text, [id])).length === 1;
  };
  await eventually("the export is completed", isCompleted, WITHIN_MS);
}

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
    const isAtEnd = async () => {
      const text = "SELECT id FROM webhooks.sinks WHERE id = $1 AND cursor >= $2";
      return (await world.owner.query(text, [id, world.workEvents])).length === 1;
    };
    return async () => {
      world.receiver.received.length = 0;
      const replay = world.worked.post(`/v1/sinks/${id}/replay`, { from_sequence_number: 1 });
      const answer = await answered(replay, 200);
      await eventually("the sink is at the end of its chain", isAtEnd, WITHIN_MS);
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

/** A webhook, which has taken a delivery, and what sends to it: until deliveries have come. */
async function subscribed({ receiver, worked }: CostWorld) {
  // Sinks of the account post to another path.
  const hook = { url: receiver.url("webhook"), events: ["export.completed"] };
  const { id } = await made(worked.post("/v1/webhooks", hook));
  const path = `/v1/webhooks/${id}`;
  const sent = async (below: string, body?: object, count = 1) => {
    receiver.received.length = 0;
    const answer = await answered(worked.post(`${path}/${below}`, body));
    const come = () => receiver.received.filter(({ path: to }) => to === "/webhook").length;
    await eventually("deliveries have come", () => come() >= count, WITHIN_MS);
    return answer;
  };
  await sent("test");
  return { path, sent };
}

/** The newest delivery of the first event of the chain. A delivery of a test cannot be replayed. */
async function delivered({ path, sent }: Awaited<ReturnType<typeof subscribed>>, world: CostWorld) {
  await sent("replay", { from_sequence_number: 1, to_sequence_number: 1 });
  return eventually("the delivery is recorded", async () => {
    const [newest] = (await world.worked.get(`${path}/deliveries`)).body.data;
    const { event, id, status } = newest;
    return event === "event.created" && status === "success" ? (id as string) : undefined;
  });
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
    make: async ({ owner, worked }) => {
      const { id } = await made(
        worked.post("/v1/exports", { format: "csv", include_proofs: true }),
      );
      await completed(owner, id);
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
    make: async (world) => {
      const { sent } = await subscribed(world);
      return () => sent("test");
    },
  },
  {
    maxMs: 150,
    route: "POST /webhooks/:id/deliveries/:delivery_id/replay",
    what: "replay of a delivery",
    status: 201,
    calls: 5,
    make: async (world) => {
      const webhook = await subscribed(world);
      const id = await delivered(webhook, world);
      return () => webhook.sent(`deliveries/${id}/replay`);
    },
  },
  {
    maxMs: 6_000,
    route: "POST /webhooks/:id/replay",
    what: `replay of ${RANGE.toLocaleString("en")} events to a webhook`,
    status: 201,
    calls: 2,
    make: async (world) => {
      const { sent } = await subscribed(world);
      return () => sent("replay", { from_sequence_number: 1, to_sequence_number: RANGE }, RANGE);
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

function erasure(one: <T>(asked: T, cancelled: T) => T): (world: CostWorld) => Send {
  return ({ searched }) =>
    async () => {
      const asked = await searched.post("/v1/erasures", { actor_id: "u_1", parts: ["actor"] });
      return one(asked, await searched.delete(`/v1/erasures/${asked.body.data?.id}`));
    };
}
