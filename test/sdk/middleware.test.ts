// Guarantee: an event that a request records says who, what and from where, and nothing of the URL's query or
// of headers with credentials; what the application gives comes first.

import type { NewEvent } from "@annals/sdk";
import { annalsAudit as expressAudit } from "@annals/sdk/express";
import { annalsAudit as fastifyAudit } from "@annals/sdk/fastify";
import express from "express";
import Fastify from "fastify";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";

const options = {
  actor: () => ({ type: "user", id: "u_1" }),
  context: () => ({ tenant: "t_1" }),
};

type Recording = Pick<NewEvent, "target" | "actor" | "context">;

/** Each serves `POST /invoices`, which records an event. */
const SERVERS = {
  express: async (annals: { track: (event: NewEvent) => boolean }, event: Recording) => {
    const app = express();
    app.use(expressAudit(annals, options));
    app.post("/invoices", (request, response) => {
      response.json(request.audit("invoice.create", event));
    });
    const server = app.listen(0);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  fastify: async (annals: { track: (event: NewEvent) => boolean }, event: Recording) => {
    const app = Fastify({ requestIdHeader: "x-request-id" });
    await app.register(fastifyAudit, { annals, ...options });
    app.post("/invoices", async (request, reply) =>
      reply.send(request.audit("invoice.create", event)),
    );
    onTestFinished(() => app.close());
    return app.listen({ port: 0 });
  },
};

test.each(Object.entries(SERVERS))("%s", async (_, serve) => {
  const tracked: NewEvent[] = [];
  const annals = { track: (event: NewEvent) => tracked.push(event) > 0 };
  const target = { type: "invoice", id: "inv_9" };
  const url = await serve(annals, { target });
  const headers = { "user-agent": "test", authorization: "Bearer s", "x-request-id": "req_7" };
  const answer = await fetch(`${url}/invoices?token=secret`, { method: "POST", headers });
  expect(await answer.json()).toBe(true);
  expect(tracked).toEqual([
    {
      action: "invoice.create",
      target,
      actor: { type: "user", id: "u_1" },
      context: {
        user_agent: "test",
        request_id: "req_7",
        method: "POST",
        path: "/invoices",
        ip: expect.stringMatching(/127\.0\.0\.1$|^::1$/) as string,
        tenant: "t_1",
      },
    },
  ]);
  const other = await serve(annals, { actor: { id: "u_2" }, context: { ip: "203.0.113.7" } });
  await fetch(`${other}/invoices`, { method: "POST" });
  expect(tracked[1]).toMatchObject({ actor: { id: "u_2" }, context: { ip: "203.0.113.7" } });
});
