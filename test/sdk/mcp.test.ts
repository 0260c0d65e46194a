// Guarantee: each call of a tool of an MCP server is recorded with its tool, its caller, for whom it acts,
// how it ended and how long it took. No argument is recorded unless it is named, and no caller keeps a call
// out of the log by what it sends. Recording changes nothing of what the caller gets.

import { Annals, type NewEvent } from "@annals/sdk";
import { recordToolCalls, type ToolCallOptions } from "@annals/sdk/mcp";
import { recorder } from "@annals/sdk/testing";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { newAccount } from "@annals/testing";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { z } from "zod";

interface TracksEvents {
  track(event: NewEvent): boolean;
}

/** A client that is connected to the server with an access token of its own. */
async function connected(server: McpServer | Server, clientId = "agent_1") {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const send = ours.send.bind(ours);
  const authInfo = { token: "secret", clientId, scopes: ["invoices"], extra: { user: "u_1" } };
  ours.send = (message, options) => send(message, { ...options, authInfo });
  const client = new Client({ name: "assistant", version: "1.2" });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(() => client.close());
  return client;
}

/** A server with tools that send an invoice, and fail. */
function serverWith(annals: TracksEvents, options?: ToolCallOptions) {
  const server = new McpServer({ name: "invoices", version: "1.0.0" });
  recordToolCalls(server, annals, options);
  const inputSchema = { id: z.string(), note: z.unknown().optional() };
  server.registerTool("send", { inputSchema }, ({ id }) => {
    annals.track({ action: "invoice.send", target: { type: "invoice", id } });
    return { content: [{ type: "text", text: `sent ${id}` }] };
  });
  server.registerTool("fail", {}, () => {
    throw new Error("no invoice");
  });
  server.registerTool("refuse", {}, () => ({
    content: [{ type: "text", text: "refused" }],
    isError: true,
  }));
  return server;
}

const duration = expect.any(Number) as unknown;
const client = { mcp_client: "assistant 1.2" };
const agent = { type: "agent", id: "agent_1" };

test("a call has its tool, its caller, for whom it acts, and what the tool has tracked", async () => {
  const annals = recorder();
  const server = serverWith(annals, {
    onBehalfOf: ({ auth }) => ({ type: "user", id: String(auth?.extra?.["user"]) }),
    context: ({ tool }) => ({ tenant: "t_1", seen: tool }),
  });
  const caller = await connected(server);
  const answer = await caller.callTool({
    name: "send",
    arguments: { id: "inv_9", note: "secret" },
  });
  expect(answer.content).toEqual([{ type: "text", text: "sent inv_9" }]);
  const actor = { ...agent, meta: { on_behalf_of: { type: "user", id: "u_1" } } };
  const context = { ...client, tenant: "t_1", seen: "send" };
  expect(annals.events).toEqual([
    { action: "invoice.send", target: { type: "invoice", id: "inv_9" }, actor, context },
    {
      action: "tool.call",
      target: { type: "tool", id: "send" },
      actor,
      context,
      metadata: { outcome: "success", duration_ms: duration },
    },
  ]);
});

test("a tool that throws or refuses, and one that is not there, have failed", async () => {
  const annals = recorder();
  const caller = await connected(serverWith(annals));
  for (const name of ["fail", "refuse", "missing", "constructor"])
    await caller.callTool({ name }).catch(() => undefined);
  const found = annals.events.map(({ target, metadata }) => [target?.id, metadata?.["outcome"]]);
  expect(found).toEqual([
    ["fail", "failure"],
    ["refuse", "failure"],
    ["missing", "failure"],
    ["constructor", "failure"],
  ]);
});

test("a handler of the lower level is recorded, and what it throws reaches the caller", async () => {
  const annals = recorder();
  const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  recordToolCalls(server, annals);
  server.setRequestHandler(CallToolRequestSchema, () => {
    throw new Error("not today");
  });
  const caller = await connected(server);
  await expect(caller.callTool({ name: "send" })).rejects.toThrow("not today");
  expect(annals.events).toMatchObject([{ actor: agent, metadata: { outcome: "failure" } }]);
});

test("arguments are recorded if they are named, within bounds, and no others", async () => {
  const annals = recorder();
  const server = serverWith(annals, { arguments: { send: ["id", "note", "missing"] } });
  const caller = await connected(server);
  const deep = Array.from({ length: 20 }).reduce<unknown>((inner) => [inner], 1);
  const notes = ["short", { total: 1 }, "x".repeat(10_000), deep, "\uD800", "\0"];
  for (const note of notes)
    await caller.callTool({ name: "send", arguments: { id: "inv_9", note, other: "secret" } });
  const calls = annals.events.filter(({ action }) => action === "tool.call");
  const omitted = (bytes?: number) => ({ annals_omitted: bytes === undefined ? {} : { bytes } });
  expect(calls.map(({ metadata }) => metadata?.["arguments"])).toEqual(
    ["short", { total: 1 }, omitted(10_002), omitted(), omitted(8), omitted(8)].map((note) => ({
      id: "inv_9",
      note,
    })),
  );
  expect(JSON.stringify(calls)).not.toContain("secret");
});

test("the service stores a call whatever its caller sends", async () => {
  const { baseUrl, databaseUrl } = inject("stack");
  const { key } = await newAccount(databaseUrl);
  const drops: unknown[] = [];
  const tracking = { onDrop: (drop: unknown) => drops.push(drop) };
  const annals = new Annals({ baseUrl, apiKey: key, tracking });
  const server = serverWith(annals, { arguments: { send: ["note"] } });
  const caller = await connected(server, "https://example.com/".padEnd(400, "x"));
  const names = ["", "\0", "\uD800", "x".repeat(300), "annals.", "__proto__"];
  for (const name of names) await caller.callTool({ name }).catch(() => undefined);
  const notes = [
    "\u2028".repeat(7_900),
    "\u0001".repeat(1_300),
    "\0",
    "\uD800",
    "x".repeat(100_000),
  ];
  for (const note of notes)
    await caller.callTool({ name: "send", arguments: { id: "inv_9", note } });
  await annals.close();
  expect(drops).toEqual([]);
  const stored = await annals.events.list({ action: "tool.call" }).toArray();
  expect(stored.length).toBe(names.length + notes.length);
});

test("calls side by side each have their own caller", async () => {
  const annals = recorder();
  const bothAreHere = Promise.withResolvers<void>();
  let here = 0;
  const callers = ["agent_1", "agent_2"].map(async (id) => {
    const server = new McpServer({ name: "s", version: "1" });
    recordToolCalls(server, annals);
    server.registerTool("wait", {}, async () => {
      if (++here === 2) bothAreHere.resolve();
      await bothAreHere.promise;
      annals.track({ action: `inside.${id}` });
      return { content: [] };
    });
    await (await connected(server, id)).callTool({ name: "wait" });
  });
  await Promise.all(callers);
  const found = annals.events.map(({ action, actor }) => `${action} ${actor?.id}`);
  expect(found.toSorted()).toEqual([
    "inside.agent_1 agent_1",
    "inside.agent_2 agent_2",
    "tool.call agent_1",
    "tool.call agent_2",
  ]);
});

test("a callback that throws is logged, and the call is recorded and answered", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const annals = recorder();
  const actor = () => {
    throw new Error("no session");
  };
  const caller = await connected(serverWith(annals, { actor }));
  const answer = await caller.callTool({ name: "send", arguments: { id: "inv_9" } });
  expect(answer.isError).toBeUndefined();
  expect(annals.actions).toEqual(["invoice.send", "tool.call"]);
  expect(log.mock.calls).toEqual([
    ["annals: the actor of a request could not be read: Error: no session"],
  ]);
});

test("after the first tool it is too late, which is said", () => {
  const server = serverWith(recorder());
  expect(() => recordToolCalls(server, recorder())).toThrow("comes before the first tool");
});
