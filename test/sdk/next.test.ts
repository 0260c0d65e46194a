// Guarantee: events of a route handler or a server action have who made the request and from where, and
// nothing of another request that runs side by side. They are sent after the handler has ended, also if it
// throws, and what is meant for Next.js reaches it. test/runtimes/next.test.ts shows it in a real server.

import { annalsAudit, type NextAuditOptions } from "@annals/sdk/next";
import { recorder } from "@annals/sdk/testing";
import { AsyncLocalStorage } from "node:async_hooks";
import { expect, onTestFinished, test, vi } from "vitest";

/** What Next.js gives: headers of the request for an action, and tasks for after the response. */
function made(options: Partial<NextAuditOptions> = {}) {
  const events = recorder();
  const steps: string[] = [];
  const tasks: (() => Promise<void>)[] = [];
  const annals = Object.assign(events, {
    flush: async () => void steps.push(`flush ${events.actions.join(" ")}`),
  });
  const audited = annalsAudit(annals, {
    headers: async () => new Headers({ "user-agent": "form", "x-user": "u_9" }),
    after: (task) => void tasks.push(task),
    actor: async (headers) => {
      await Promise.resolve();
      return { type: "user", id: headers.get("x-user") ?? "nobody" };
    },
    ...options,
  });
  const respond = async () => {
    for (const task of tasks) await task();
  };
  return { annals, audited, respond, steps, tasks };
}

const requestOf = (user: string, more: Record<string, string> = {}) =>
  new Request(`https://shop.example.com/invoices/${user}?token=secret`, {
    method: "POST",
    headers: { "x-user": user, "user-agent": "test", "x-request-id": user, cookie: "s", ...more },
  });

const origin = (user: string) => ({
  user_agent: "test",
  request_id: user,
  method: "POST",
  path: `/invoices/${user}`,
});

test("a route handler gets what Next.js gives it, and its events have the request", async () => {
  const { annals, audited, respond, steps } = made({
    ip: (headers) => headers.get("x-real-ip"),
    context: () => ({ tenant: "t_1" }),
  });
  const handler = audited(async (request: Request, { params }: { params: Promise<string> }) => {
    annals.track({ action: "invoice.update", metadata: { id: await params } });
    return new Response(new URL(request.url).pathname);
  });
  const request = requestOf("u_1", { "x-real-ip": "203.0.113.7" });
  const answer = await handler(request, { params: Promise.resolve("inv_9") });
  expect(await answer.text()).toBe("/invoices/u_1");
  expect(annals.events).toEqual([
    {
      action: "invoice.update",
      actor: { type: "user", id: "u_1" },
      context: { ip: "203.0.113.7", ...origin("u_1"), tenant: "t_1" },
      metadata: { id: "inv_9" },
    },
  ]);
  expect(steps).toEqual([]);
  await respond();
  expect(steps).toEqual(["flush invoice.update"]);
});

test("a server action has the headers of its request, and so has what it leaves for later", async () => {
  const { annals, audited, respond, steps, tasks } = made();
  const action = audited(async (form: FormData) => {
    annals.track({ action: "invoice.rename", metadata: { name: form.get("name") } });
    // Next.js binds a task to where it was given.
    tasks.push(AsyncLocalStorage.bind(async () => void annals.track({ action: "later" })));
    return "renamed";
  });
  const form = new FormData();
  form.set("name", "May");
  expect(await action(form)).toBe("renamed");
  await respond();
  const actor = { type: "user", id: "u_9" };
  expect(annals.events).toEqual([
    { action: "invoice.rename", actor, context: { user_agent: "form" }, metadata: { name: "May" } },
    { action: "later", actor, context: { user_agent: "form" } },
  ]);
  expect(steps).toEqual(["flush invoice.rename later"]);
});

test("two requests side by side each have their own", async () => {
  const { annals, audited } = made();
  const bothAreHere = Promise.withResolvers<void>();
  let here = 0;
  const handler = audited<[Request], void>(async () => {
    if (++here === 2) bothAreHere.resolve();
    await bothAreHere.promise;
    annals.track({ action: "a" });
  });
  const users = ["u_1", "u_2"];
  await Promise.all(users.map((user) => handler(requestOf(user))));
  expect(
    annals.events.toSorted((one, other) => (one.actor!.id! < other.actor!.id! ? -1 : 1)),
  ).toEqual(users.map((id) => ({ action: "a", actor: { type: "user", id }, context: origin(id) })));
});

test("what a handler throws reaches Next.js, and its events are sent", async () => {
  const { annals, audited, respond, steps } = made();
  const handler = audited(async () => {
    annals.track({ action: "a" });
    throw Object.assign(new Error("NEXT_REDIRECT"), { digest: "NEXT_REDIRECT;/login" });
  });
  await expect(handler()).rejects.toThrow("NEXT_REDIRECT");
  await respond();
  expect(steps).toEqual(["flush a"]);
});

test("an actor that fails is logged, and one that redirects does so before the handler", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const error = new Error("no session");
  const { annals, audited } = made({ actor: () => Promise.reject(error) });
  const handler = audited<[Request], boolean>(async () => annals.track({ action: "a" }));
  expect(await handler(requestOf("u_1"))).toBe(true);
  expect(annals.events).toEqual([{ action: "a", context: origin("u_1") }]);
  expect(log.mock.calls).toEqual([
    ["annals: the actor of a request could not be read: Error: no session"],
  ]);
  Object.assign(error, { digest: "NEXT_REDIRECT;/login" });
  await expect(handler(requestOf("u_1"))).rejects.toThrow("no session");
  expect(annals.events.length).toBe(1);
});
