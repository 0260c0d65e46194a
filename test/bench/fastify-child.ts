// The baseline of single events: Fastify with one POST route that reads a JSON body and answers a small one,
// in a process of its own. It stores nothing, so it is an upper bound. Forked by measure/single-events.ts.

import fastify from "fastify";
import type { AddressInfo } from "node:net";

const app = fastify();
app.post("/v1/events", async (_request, reply) => {
  reply.code(201);
  return { data: { id: "evt_1" } };
});
await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.((app.server.address() as AddressInfo).port);
process.once("disconnect", () => void app.close());
