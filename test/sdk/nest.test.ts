// Guarantee: events of a handler of NestJS have who made the request and from where, and nothing of another
// request that runs side by side. A handler that is recorded by itself is recorded once, with its outcome:
// one that throws has failed, and its client gets the same answer as without.

import type { NewEvent } from "@annals/sdk";
import { AnnalsInterceptor, type InterceptorOptions } from "@annals/sdk/nest";
import { type Recorder, recorder } from "@annals/sdk/testing";
import {
  Controller,
  type ExecutionContext,
  ForbiddenException,
  Module,
  Param,
  Post,
  Sse,
} from "@nestjs/common";
import { NestFactory, Reflector } from "@nestjs/core";
import "reflect-metadata";
import { interval, map, startWith } from "rxjs";
import { eventually } from "@annals/testing";
import { expect, onTestFinished, test, vi } from "vitest";

interface HttpRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly params: Readonly<Record<string, string>>;
}

const Audited = Reflector.createDecorator<string>();
const reflector = new Reflector();

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<HttpRequest>();

const OPTIONS: InterceptorOptions = {
  actor: (context) => ({ type: "user", id: requestOf(context).headers["x-user"] ?? "nobody" }),
  context: () => ({ tenant: "t_1" }),
  event: (context) => {
    const action = reflector.get(Audited, context.getHandler());
    const target = { type: "invoice", id: String(requestOf(context).params["id"]) };
    return action === undefined ? undefined : { action, target, metadata: { by: "itself" } };
  },
};

/** Applies decorators as TypeScript does: Node.js runs none. */
function decorate(type: object, method: string, ...decorators: readonly MethodDecorator[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(type, method) ?? {};
  for (const decorator of decorators) decorator(type, method, descriptor);
}

/** Serves invoices, on a free port. */
async function serve(annals: Recorder, options = OPTIONS, bothAreHere = Promise.resolve()) {
  class Invoices {
    async update(id: string): Promise<string> {
      await bothAreHere;
      annals.track({ action: "inside", metadata: { id } });
      return `updated ${id}`;
    }
    refuse(): never {
      throw new ForbiddenException("not yours");
    }
    plain(): string {
      return "plain";
    }
    watch() {
      return interval(3_600_000).pipe(
        startWith(0),
        map((data) => ({ data })),
      );
    }
  }
  Controller("invoices")(Invoices);
  decorate(Invoices.prototype, "update", Post(":id"), Audited("invoice.update"));
  Param("id")(Invoices.prototype, "update", 0);
  decorate(Invoices.prototype, "refuse", Post(":id/refused"), Audited("invoice.refuse"));
  decorate(Invoices.prototype, "plain", Post(":id/plain"));
  decorate(Invoices.prototype, "watch", Sse(":id/watched"), Audited("invoice.watch"));
  class App {
    readonly name = "shop";
  }
  Module({ controllers: [Invoices] })(App);
  const app = await NestFactory.create(App, { logger: false });
  app.useGlobalInterceptors(new AnnalsInterceptor(annals, options));
  await app.listen(0, "127.0.0.1");
  onTestFinished(() => app.close());
  return app.getUrl();
}

async function post(url: string, user: string): Promise<[number, string]> {
  const headers = { "x-user": user, "x-request-id": user, "user-agent": "test" };
  const answer = await fetch(`${url}?token=secret`, { method: "POST", headers });
  return [answer.status, await answer.text()];
}

const origin = (user: string, path: string) => ({
  ip: expect.stringContaining("127.0.0.1") as unknown,
  user_agent: "test",
  request_id: user,
  method: "POST",
  path,
  tenant: "t_1",
});
const duration = expect.any(Number) as unknown;

test("a handler and what it tracks have who, what and from where, and its outcome", async () => {
  const annals = recorder();
  const url = await serve(annals);
  expect(await post(`${url}/invoices/inv_9`, "u_1")).toEqual([201, "updated inv_9"]);
  const actor = { type: "user", id: "u_1" };
  const context = origin("u_1", "/invoices/inv_9");
  expect(annals.events).toEqual([
    { action: "inside", actor, context, metadata: { id: "inv_9" } },
    {
      action: "invoice.update",
      target: { type: "invoice", id: "inv_9" },
      actor,
      context,
      metadata: { by: "itself", outcome: "success", duration_ms: duration },
    },
  ]);
});

test("a handler that throws has failed, and one without an event is not recorded", async () => {
  const annals = recorder();
  const url = await serve(annals);
  const [status, answer] = await post(`${url}/invoices/inv_9/refused`, "u_1");
  expect([status, answer]).toEqual([403, expect.stringContaining("not yours")]);
  expect(await post(`${url}/invoices/inv_9/plain`, "u_1")).toEqual([201, "plain"]);
  expect(annals.events).toMatchObject([
    { action: "invoice.refuse", actor: { id: "u_1" }, metadata: { outcome: "failure" } },
  ]);
});

test("a stream whose client leaves is recorded, too", async () => {
  const annals = recorder();
  const url = await serve(annals);
  const abort = new AbortController();
  const answer = await fetch(`${url}/invoices/inv_9/watched`, { signal: abort.signal });
  await answer.body?.getReader().read();
  abort.abort();
  await eventually("the event", () => annals.events.length > 0);
  expect(annals.events).toMatchObject([
    { action: "invoice.watch", metadata: { outcome: "unknown" } },
  ]);
});

test("two requests side by side each have their own", async () => {
  const annals = recorder();
  const bothAreHere = Promise.withResolvers<void>();
  let here = 0;
  const event = (of: ExecutionContext): NewEvent => {
    if (++here === 2) bothAreHere.resolve();
    return { action: "handled", metadata: { id: requestOf(of).params["id"] } };
  };
  const url = await serve(annals, { ...OPTIONS, event }, bothAreHere.promise);
  await Promise.all(["u_1", "u_2"].map((user) => post(`${url}/invoices/${user}`, user)));
  const found = annals.events.map(
    ({ action, actor, metadata }) => `${action} ${actor?.id} ${String(metadata?.["id"])}`,
  );
  expect(found.toSorted()).toEqual([
    "handled u_1 u_1",
    "handled u_2 u_2",
    "inside u_1 u_1",
    "inside u_2 u_2",
  ]);
});

test("a callback that throws is logged, and the request is answered", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const annals = recorder();
  const event = () => {
    throw new Error("no metadata");
  };
  const url = await serve(annals, { ...OPTIONS, event });
  expect(await post(`${url}/invoices/inv_9`, "u_1")).toEqual([201, "updated inv_9"]);
  expect(annals.actions).toEqual(["inside"]);
  expect(log.mock.calls).toEqual([
    ["annals: the event of a request could not be read: Error: no metadata"],
  ]);
});
