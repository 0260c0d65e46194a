// Guarantee: an event that a request records says who, what and from where, and nothing of the URL's query or
// of headers with credentials; what the application gives comes first. So does an event that is tracked
// anywhere in the request, and no request has anything of another one that runs side by side.

import { type Actor, Annals, type NewEvent } from "@annals/sdk";
import { context } from "@annals/sdk/context";
import { type Audit, annalsAudit as expressAudit } from "@annals/sdk/express";
import { annalsAudit as fastifyAudit } from "@annals/sdk/fastify";
import { annalsAudit as honoAudit } from "@annals/sdk/hono";
import { recorder } from "@annals/sdk/testing";
import { serve as serveHono } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import express from "express";
import Fastify from "fastify";
import { type Context, Hono } from "hono";
import { requestId as requestIds } from "hono/request-id";
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { json, scriptedServer } from "./scripted-server.ts";

interface TracksEvents {
  track(event: NewEvent): boolean;
}
type Handle = (audit: Audit) => unknown;

/** The user of a request is in a header, which stands for a login. */
const optionsBy = <Request>(headerOf: (request: Request, name: string) => unknown) => ({
  actor: (request: Request): Actor | undefined => {
    const id = headerOf(request, "x-user");
    if (id === "unreadable") throw new Error("no session");
    return typeof id === "string" ? { type: "user", id } : undefined;
  },
  context: () => ({ tenant: "t_1" }),
});

/** Each serves `POST /invoices` with a body, and answers what the handler returns. */
const SERVERS = {
  express: async (annals: TracksEvents, handle: Handle) => {
    const app = express();
    app.use(
      expressAudit(
        annals,
        optionsBy<express.Request>((request, name) => request.get(name)),
      ),
    );
    app.use(express.json());
    app.post("/invoices", async (request, response) => {
      response.json(await handle(request.audit));
    });
    const server = app.listen(0);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  fastify: async (annals: TracksEvents, handle: Handle) => {
    const app = Fastify({ requestIdHeader: "x-request-id" });
    const options = optionsBy<{ headers: Record<string, unknown> }>(
      ({ headers }, name) => headers[name],
    );
    await app.register(fastifyAudit, { annals, ...options });
    app.post("/invoices", async (request, reply) => reply.send(await handle(request.audit)));
    onTestFinished(() => app.close());
    return app.listen({ port: 0 });
  },
  hono: async (annals: TracksEvents, handle: Handle) => {
    const app = new Hono();
    const options = optionsBy<Context>((c, name) => c.req.header(name));
    const ip = (c: Context) => getConnInfo(c).remote.address;
    app.use(honoAudit(annals, { ...options, ip }));
    app.post("/invoices", async (c) => {
      await c.req.json();
      return c.json(await handle(c.var.audit));
    });
    const server = serveHono({ fetch: app.fetch, port: 0 });
    onTestFinished(() => void server.close());
    if (!server.listening) await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
};

const SECRET = { authorization: "Bearer s", cookie: "session=s" };

async function post(url: string, headers: Record<string, string>): Promise<unknown> {
  const body = JSON.stringify({ total: 1250 });
  const more = { "content-type": "application/json", "content-length": String(body.length) };
  const sent = http.request(`${url}/invoices?token=secret`, {
    method: "POST",
    headers: { "user-agent": "test", expect: "100-continue", ...more, ...SECRET, ...headers },
  });
  // The server has begun with the request when it reads the body.
  sent.once("continue", () => sent.end(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return JSON.parse(await text(response));
}

const origin = (requestId: string) => ({
  user_agent: "test",
  request_id: requestId,
  method: "POST",
  path: "/invoices",
  ip: expect.stringMatching(/127\.0\.0\.1$|^::1$/) as unknown,
  tenant: "t_1",
});

describe.each(Object.entries(SERVERS))("%s", (_, serve) => {
  test("audit() says who, what and from where", async () => {
    const tracked: NewEvent[] = [];
    const annals = { track: (event: NewEvent) => tracked.push(event) > 0 };
    const target = { type: "invoice", id: "inv_9" };
    const url = await serve(annals, (audit) => {
      context({ context: { job: "j_1" } }, () => audit("invoice.update"));
      audit("invoice.send", { actor: { id: "u_2" }, context: { ip: "203.0.113.7" } });
      return audit("invoice.create", { target });
    });
    expect(await post(url, { "x-user": "u_1", "x-request-id": "req_7" })).toBe(true);
    const actor = { type: "user", id: "u_1" };
    const here = origin("req_7");
    expect(tracked).toEqual([
      { action: "invoice.update", actor, context: { ...here, job: "j_1" } },
      { action: "invoice.send", actor: { id: "u_2" }, context: { ...here, ip: "203.0.113.7" } },
      { action: "invoice.create", target, actor, context: here },
    ]);
  });

  test("two requests side by side each have their own, in track() and in audit()", async () => {
    const server = await scriptedServer((__, response) => json(response, 201, { data: [] }));
    const annals = new Annals({ baseUrl: server.baseUrl, apiKey: "k" });
    const audits: Audit[] = [];
    const bothAreHere = Promise.withResolvers<void>();
    const url = await serve(annals, async (audit) => {
      if (audits.push(audit) === 2) bothAreHere.resolve();
      await bothAreHere.promise;
      const isTracked = annals.track({ action: "tracked" });
      // The second request calls the function of both.
      if (audit === audits[1]) for (const each of audits) each("audited");
      return isTracked;
    });
    const users = ["u_1", "u_2"];
    const requests = users.map((user) => post(url, { "x-user": user, "x-request-id": user }));
    expect(await Promise.all(requests)).toEqual([true, true]);
    annals.track({ action: "beside" });
    await annals.flush();
    const sent = server.received.flatMap(({ body }) => {
      const { events } = JSON.parse(body) as { events: NewEvent[] };
      return events.map((event) => {
        const { occurred_at: __, ...rest } = event;
        return rest;
      });
    });
    const byUser = (action: string) =>
      users.map((id) => ({ action, actor: { type: "user", id }, context: origin(id) }));
    expect(sent.toSorted(byActionAndUser)).toEqual([
      ...byUser("audited"),
      { action: "beside" },
      ...byUser("tracked"),
    ]);
  });

  test("an actor that cannot be read is logged, and the event is recorded", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => log.mockRestore());
    const tracked: NewEvent[] = [];
    const annals = { track: (event: NewEvent) => tracked.push(event) > 0 };
    const url = await serve(annals, (audit) => audit("invoice.create"));
    expect(await post(url, { "x-user": "unreadable", "x-request-id": "req_7" })).toBe(true);
    expect(tracked).toEqual([{ action: "invoice.create", context: origin("req_7") }]);
    expect(log.mock.calls).toEqual([
      ["annals: the actor of a request could not be read: Error: no session"],
    ]);
  });
});

function byActionAndUser(one: NewEvent, other: NewEvent): number {
  const keyOf = ({ action, actor }: NewEvent) => `${action} ${actor?.id}`;
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

test("hono records no address by default, and the id that its own middleware has made", async () => {
  const annals = recorder();
  const app = new Hono();
  app.use(requestIds(), honoAudit(annals));
  app.post("/invoices", (c) => c.json(c.var.audit("invoice.create")));
  const headers = { "x-request-id": "not <an> id", "x-forwarded-for": "203.0.113.7" };
  const answer = await app.request("/invoices", { method: "POST", headers });
  const id = answer.headers.get("x-request-id");
  expect(id).toMatch(/^[\da-f-]{36}$/);
  expect(annals.events).toEqual([
    { action: "invoice.create", context: { request_id: id, method: "POST", path: "/invoices" } },
  ]);
});
