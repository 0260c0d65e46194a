// Guarantee: a webhook with a filter gets exactly the events that it selects, once and in order, wherever a
// replica dies and whenever the filter changes; the account's other webhooks get all. A filtered-out event
// makes no delivery and opens no queue, and the position moves past it page by page.

import { unavailable } from "@annals/errors";
import { describe, expect, test } from "vitest";
import type { FakeProducers } from "../../testing/fake-producers.ts";
import { intercepted, newAccountId, newService, type Replica } from "../../testing/dispatcher.ts";

const DELETED = { action: { values: ["user.deleted"] } };
const LOGIN = { action: { values: ["user.login"] } };

async function begin() {
  const service = await newService();
  const { database, handlers, producers } = service;
  const accountId = newAccountId();
  const queued = async (webhookId: string): Promise<number[]> => {
    const rows = await database.query<{ n: number }>(
      "SELECT position::integer AS n FROM webhooks.deliveries WHERE webhook_id = $1 ORDER BY number",
      [webhookId],
    );
    return rows.map(({ n }) => n);
  };
  const position = async (): Promise<string | undefined> => {
    const [cursor] = await database.query<{ position: string }>(
      "SELECT position FROM webhooks.cursors WHERE kind = 'events'",
    );
    return cursor?.position;
  };
  /** Stores events, of which every tenth deletes a user. */
  const store = (count: number): bigint => {
    const stored = Number(producers.addEvents(accountId));
    const actions = Array.from({ length: count }, (_, index) =>
      (stored + index + 1) % 10 === 0 ? "user.deleted" : "user.login",
    );
    return producers.addEvents(accountId, ...actions.map((action) => ({ action })));
  };
  const fanOut = async (replica: Replica, target = producers.addEvents(accountId)) => {
    replica.fanOut.notify({ kind: "events", accountId, position: target });
    await replica.fanOut.settled();
  };
  const isDrained = async (webhookId: string) => {
    const [row] = await database.query<{ is_drained: boolean }>(
      "SELECT is_drained FROM webhooks.webhooks WHERE id = $1",
      [webhookId],
    );
    return row?.is_drained;
  };
  const drain = () => database.query("UPDATE webhooks.webhooks SET is_drained = true");
  const created = async (given: object = {}) =>
    (await handlers.create(accountId, given)).webhook.id;
  const update = (id: string, given: object) => handlers.update(accountId, id, given);
  return {
    ...service,
    accountId,
    created,
    drain,
    fanOut,
    isDrained,
    position,
    queued,
    store,
    update,
  };
}

const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

test("a filtered webhook gets what it selects, and the others get all", async () => {
  const { created, fanOut, queued, replica, store } = await begin();
  const [some, all] = [await created({ filter: DELETED }), await created()];
  await fanOut(replica(), store(250));
  expect(await queued(some)).toEqual(range(10, 250, 10));
  expect(await queued(all)).toEqual(range(1, 250));
});

describe("a filter by a field", () => {
  const TAG = { path: ["context", "tag"], type: "string" };
  const OF_A = { filter: { fields: [{ ...TAG, name: "tag", values: ["a"] }] } };
  const NOT_A = { filter: { not: { fields: [{ ...TAG, name: "tag", values: ["a"] }] } } };
  /** Stores events with the tags, in order. */
  const tagged = (accountId: string, producers: FakeProducers, ...tags: (string | undefined)[]) =>
    producers.addEvents(accountId, ...tags.map((tag) => ({ context: tag ? { tag } : {} })));

  test("selects by the values that the ledger has, and what it leaves out, too", async () => {
    const { accountId, created, fanOut, producers, queued, replica } = await begin();
    const ids = [await created(OF_A), await created(NOT_A), await created()];
    const one = replica();
    await fanOut(one, tagged(accountId, producers, "a", "b", undefined, "a"));
    await fanOut(one, tagged(accountId, producers, "b", "a"));
    expect(await Promise.all(ids.map(queued))).toEqual([[1, 4, 6], [2, 3, 5], range(1, 6)]);
  });

  test("is read of each event once, and of none when no filter names one", async () => {
    const { accountId, created, fanOut, metrics, producers, replica, store, update } =
      await withMetrics();
    const [one, id] = [replica(), await created({ filter: DELETED })];
    await fanOut(one, store(10));
    expect(producers.fieldReads).toEqual([]);
    await update(id, OF_A);
    await fanOut(one, tagged(accountId, producers, "a", "a"));
    await fanOut(one, tagged(accountId, producers, "a"));
    expect(producers.fieldReads).toEqual([
      [expect.objectContaining(TAG)],
      [expect.objectContaining(TAG)],
    ]);
    await update(id, { filter: {} });
    await fanOut(one, store(1));
    await fanOut(one, store(1));
    expect(producers.fieldReads).toHaveLength(3);
    expect(await metrics(one)).toEqual([]);
  });

  test("judges events of its time, however late they are queued", async () => {
    const { accountId, created, fanOut, producers, queued, replica, update } = await begin();
    const id = await created(OF_A);
    tagged(accountId, producers, "a", "b");
    await update(id, NOT_A);
    await fanOut(replica(), tagged(accountId, producers, "a", "b"));
    expect(await queued(id)).toEqual([1, 4]);
  });
});

test("other kinds have no filter", async () => {
  const { accountId, created, queued, replica } = await begin();
  const some = await created({ filter: DELETED });
  await replica().produce(accountId, 2, "verifications");
  await replica().produce(accountId, 1, "exports");
  expect(await queued(some)).toEqual([1, 2, 1]);
});

describe("a long run of events that no webhook wants", () => {
  test("leaves no delivery, keeps its queue closed, and is not read again after a crash", async () => {
    const {
      created,
      database,
      drain,
      fanOut,
      isDrained,
      position,
      producers,
      queued,
      replica,
      store,
    } = await begin();
    const some = await created({ filter: { actorId: { values: ["u_none"] } } });
    await drain();
    const pool = database.pool();
    let pages = 0;
    const dying = replica(
      intercepted(pool, {
        transaction: (work) => {
          pages += 1;
          if (pages > 3) throw unavailable("the process has crashed here");
          return pool.transaction(work);
        },
      }),
    );
    await fanOut(dying, store(1_000));
    expect(await position()).toBe("300");
    const readBefore = producers.reads;
    await fanOut(replica());
    expect(await position()).toBe("1000");
    expect(producers.reads - readBefore).toBe(7);
    expect(await queued(some)).toEqual([]);
    expect(await isDrained(some)).toBe(true);
  });

  test("lets the other accounts of the replica go first after each page", async () => {
    const { database, handlers, producers, replica } = await begin();
    const accounts = Array.from({ length: 6 }, newAccountId);
    for (const id of accounts) await handlers.create(id, { filter: DELETED });
    /** The account of each page, in the order in which they begin. */
    const order: unknown[] = [];
    const pool = database.pool();
    const watched = intercepted(pool, {
      run: (statement, params) => {
        if (statement.name === "webhooks.read-cursor") order.push(params[0]);
        return pool.run(statement, params);
      },
    });
    const { fanOut } = replica(watched);
    for (const accountId of accounts) {
      const logins = Array.from({ length: 300 }, () => ({ action: "user.login" }));
      const position = producers.addEvents(accountId, ...logins);
      fanOut.notify({ kind: "events", accountId, position });
    }
    await fanOut.settled();
    // The last one waits for a page of each of the others, and for no second one.
    expect(order.slice(0, 6)).toEqual(accounts);
    expect(order).toHaveLength(18);
  });
});

test("a closed queue opens for the first event that is selected, and loses none", async () => {
  const { created, drain, fanOut, isDrained, metrics, queued, replica, store } =
    await withMetrics();
  const [some, all] = [await created({ filter: DELETED }), await created()];
  await drain();
  const own = replica();
  await fanOut(own, store(9));
  expect([await isDrained(some), await isDrained(all)]).toEqual([true, false]);
  await fanOut(own, store(291));
  expect(await queued(some)).toEqual(range(10, 300, 10));
  expect(await queued(all)).toEqual(range(1, 300));
  expect(await metrics(own)).toEqual([]);
});

async function withMetrics() {
  const metrics = async (replica: Replica) => {
    const { values } = await replica.metrics.failures.get();
    return values.filter(({ value }) => value > 0);
  };
  return { ...(await begin()), metrics };
}

test("a crash before the commit of a page, and after it: each selected event is queued once", async () => {
  const { created, database, fanOut, queued, replica, store } = await begin();
  const some = await created({ filter: DELETED });
  const pool = database.pool();
  const crashed = () => unavailable("the process has crashed here");
  const before = intercepted(pool, {
    transaction: (work) =>
      pool.transaction(async (transaction) => {
        await work(transaction);
        throw crashed();
      }),
  });
  const after = intercepted(pool, {
    transaction: async (work) => {
      await pool.transaction(work);
      throw crashed();
    },
  });
  const target = store(120);
  for (const own of [before, after, before, after, pool]) await fanOut(replica(own), target);
  expect(await queued(some)).toEqual(range(10, 120, 10));
});

test("four replicas that get every notice at once queue each selected event once", async () => {
  const { accountId, created, queued, replica, store } = await begin();
  const [some, all] = [await created({ filter: DELETED }), await created()];
  const replicas = Array.from({ length: 4 }, () => replica());
  for (let round = 0; round < 20; round++) {
    const position = store(7);
    for (const { fanOut } of [...replicas, ...replicas])
      fanOut.notify({ kind: "events", accountId, position });
    if (round % 5 === 0) await Promise.all(replicas.map(({ fanOut }) => fanOut.settled()));
  }
  await Promise.all(replicas.map(({ fanOut }) => fanOut.settled()));
  expect(await queued(some)).toEqual(range(10, 140, 10));
  expect(await queued(all)).toEqual(range(1, 140));
});

describe("a change acts from the next event on", () => {
  test("events from before it that are not queued yet are judged by the filter of their time", async () => {
    const { created, fanOut, queued, replica, store, update } = await begin();
    const some = await created({ filter: DELETED });
    store(20);
    await update(some, { filter: LOGIN });
    store(20);
    await update(some, { filter: {} });
    store(5);
    await fanOut(replica());
    const logins = range(21, 40).filter((n) => n % 10 !== 0);
    expect(await queued(some)).toEqual([10, 20, ...logins, ...range(41, 45)]);
  });

  test("a webhook that begins again has only its new filter", async () => {
    const { created, fanOut, queued, replica, store, update } = await begin();
    const some = await created({ filter: DELETED });
    store(20);
    await update(some, { active: false });
    store(10);
    await update(some, { active: true, filter: LOGIN });
    store(3);
    await fanOut(replica());
    expect(await queued(some)).toEqual([31, 32, 33]);
  });

  test("another member leaves the filter and its history as they are", async () => {
    const { created, fanOut, queued, replica, store, update } = await begin();
    const some = await created({ filter: DELETED });
    store(20);
    await update(some, { filter: LOGIN });
    await update(some, { url: "https://example.com/other" });
    store(2);
    await fanOut(replica());
    expect(await queued(some)).toEqual([10, 20, 21, 22]);
  });
});
