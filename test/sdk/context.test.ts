// Guarantee: a context gives its actor and its members of `context` to what is tracked inside of it, also by
// what was awaited or is called back later, and to nothing that runs beside it. A job of a queue has what was
// saved for it, and nothing of what runs it. test/sdk/middleware.test.ts shows the same of requests.

import { type Actor, Annals, type NewEvent } from "@annals/sdk";
import { context, run, save } from "@annals/sdk/context";
import { EventEmitter, once } from "node:events";
import { expect, test } from "vitest";
import { json, scriptedServer } from "./scripted-server.ts";

const ADA: Actor = { type: "user", id: "u_1" };
const BOB: Actor = { type: "user", id: "u_2" };

/** A client, and what it has sent of its events besides their time. */
async function client() {
  const server = await scriptedServer((_, response) => json(response, 201, { data: [] }));
  const annals = new Annals({ baseUrl: server.baseUrl, apiKey: "k" });
  const sent = async (): Promise<NewEvent[]> => {
    await annals.flush();
    return server.received.flatMap(({ body }) => {
      const { events } = JSON.parse(body) as { events: NewEvent[] };
      return events.map((event) => {
        const { occurred_at: _, ...rest } = event;
        return rest;
      });
    });
  };
  return { annals, sent };
}

test("a context fills what an event lacks", async () => {
  const { annals, sent } = await client();
  context({ actor: ADA, context: { tenant: "t_1" } }, () =>
    context({ context: { job: "j_1" } }, () => {
      annals.track({ action: "a1", context: { tenant: "own" } });
      annals.track({ action: "a2", actor: { type: "service", id: "s" } });
      context({ actor: BOB }, () => annals.track({ action: "a3" }));
    }),
  );
  annals.track({ action: "a4" });
  expect(await sent()).toEqual([
    { action: "a1", actor: ADA, context: { tenant: "own", job: "j_1" } },
    { action: "a2", actor: { type: "service", id: "s" }, context: { tenant: "t_1", job: "j_1" } },
    { action: "a3", actor: BOB, context: { tenant: "t_1", job: "j_1" } },
    { action: "a4" },
  ]);
});

test("it follows awaits, timers and streams, and what runs beside has its own", async () => {
  const { annals, sent } = await client();
  const others = new EventEmitter();
  const work = async (actor: Actor) => {
    await new Promise((resolve) => setImmediate(resolve));
    annals.track({ action: `${actor.id}.awaited` });
    setTimeout(() => others.emit(String(actor.id)), 0);
    await once(others, String(actor.id));
    annals.track({ action: `${actor.id}.emitted` });
  };
  const both = [ADA, BOB].map((actor) => context({ actor }, () => work(actor)));
  annals.track({ action: "beside" });
  await Promise.all(both);
  annals.track({ action: "after" });
  const found = (await sent()).map(({ action, actor }) => `${action} ${actor?.id}`);
  expect(found.toSorted()).toEqual([
    "after undefined",
    "beside undefined",
    "u_1.awaited u_1",
    "u_1.emitted u_1",
    "u_2.awaited u_2",
    "u_2.emitted u_2",
  ]);
});

test("a job has what was saved for it, and nothing of what runs it", async () => {
  const { annals, sent } = await client();
  const queue = context({ actor: ADA, context: { tenant: "t_1" } }, () => [
    JSON.stringify({ audit: save() }),
    JSON.stringify({ audit: null }),
  ]);
  queue.push(JSON.stringify({ audit: save() }), JSON.stringify({}));
  context({ actor: BOB, context: { worker: "w_1" } }, () => {
    for (const [at, job] of queue.entries()) {
      const { audit } = JSON.parse(job) as { audit?: ReturnType<typeof save> | null };
      run(audit, () => annals.track({ action: `job.${at}` }));
    }
  });
  expect(await sent()).toEqual([
    { action: "job.0", actor: ADA, context: { tenant: "t_1" } },
    { action: "job.1" },
    { action: "job.2" },
    { action: "job.3" },
  ]);
});

test("what is no event is dropped and named as without a context", async () => {
  const dropped: string[] = [];
  const tracking = { onDrop: ({ reason }: { reason: string }) => void dropped.push(reason) };
  const annals = new Annals({ baseUrl: "http://127.0.0.1:9", apiKey: "k", tracking });
  const wrong = {
    action: "a",
    get metadata(): never {
      throw new Error("cannot be read");
    },
  };
  const taken = context({ actor: ADA }, () => annals.track(wrong));
  expect([taken, dropped]).toEqual([false, ["unserializable"]]);
});
