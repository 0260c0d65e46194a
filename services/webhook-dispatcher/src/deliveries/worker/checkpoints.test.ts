// Guarantees: a webhook that names log.checkpointed gets one delivery for each served epoch in which its
// account grew, over any number of replicas and a crash of one, and none from before it subscribed. A webhook
// with `*` gets none. A silent account is not asked for again until another epoch is served, and an account
// that fails keeps no other one from its turn.

import { createRegistry } from "@annals/chassis";
import { unavailable } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import { expect, test } from "vitest";
import { createMetrics } from "../../metrics.ts";
import { intercepted, log, newAccountId, newService } from "../../testing/dispatcher.ts";
import { Checkpoints } from "./checkpoints.ts";

const NAMED = { events: ["log.checkpointed"] };
const NEVER = new AbortController().signal;

async function begin() {
  const service = await newService();
  const { database, producers, replica } = service;
  /** A replica, and what its worker finds. */
  const finder = (pool: Pool = database.pool()) => {
    const { fanOut, metrics } = replica(pool);
    const worker = new Checkpoints({
      database: pool,
      fanOut,
      intervalMs: 1_000,
      log,
      metrics: createMetrics(createRegistry("test")),
      producers,
    });
    const run = async () => {
      await worker.run(NEVER);
      await fanOut.settled();
    };
    return { fanOut, metrics, run, worker };
  };
  /** The epochs of the deliveries of a webhook, in the order of its queue. */
  const queued = async (webhookId: string): Promise<number[]> => {
    const rows = await database.query<{ body: string }>(
      `SELECT convert_from(body, 'UTF8') AS body FROM webhooks.deliveries
       WHERE webhook_id = $1 AND event = 'log.checkpointed' ORDER BY number`,
      [webhookId],
    );
    return rows.map(({ body }) => JSON.parse(body).data.epoch);
  };
  return { ...service, finder, queued };
}

test("a webhook that names it gets each epoch in which its account grew, and `*` never does", async () => {
  const { database, finder, handlers, producers, queued, subscribed } = await begin();
  const { accountId, webhook } = await subscribed(NAMED);
  const both = await handlers.create(accountId, { events: ["*", "log.checkpointed"] });
  const all = await handlers.create(accountId, { events: ["*"] });
  const other = await subscribed({ events: ["*"] });
  const { run } = finder();
  for (const grown of [[accountId], [other.accountId], [accountId, other.accountId], []]) {
    producers.closeEpoch(...grown);
    await run();
  }
  expect(await queued(webhook.id)).toEqual([1, 3]);
  expect(await queued(both.webhook.id)).toEqual([1, 3]);
  const ids = [all.webhook.id, other.webhook.id];
  expect(
    await database.query("SELECT FROM webhooks.deliveries WHERE webhook_id = ANY ($1)", [ids]),
  ).toEqual([]);
});

test("a subscription begins at the newest epoch, however many there were", async () => {
  const { finder, handlers, producers, queued, subscribed } = await begin();
  const accountId = newAccountId();
  for (let at = 0; at < 50; at += 1) producers.closeEpoch(accountId);
  const first = await handlers.create(accountId, NAMED);
  const later = await subscribed({ events: ["*"] });
  const { run } = finder();
  await run();
  expect(await queued(first.webhook.id)).toEqual([]);
  producers.closeEpoch(accountId, later.accountId);
  await run();
  // So does one that adds the name, and one that is activated again.
  await handlers.update(later.accountId, later.webhook.id, NAMED);
  await handlers.update(accountId, first.webhook.id, { active: false });
  producers.closeEpoch(accountId);
  await handlers.update(accountId, first.webhook.id, { active: true });
  producers.closeEpoch(accountId, later.accountId);
  await run();
  expect(await queued(first.webhook.id)).toEqual([51, 53]);
  expect(await queued(later.webhook.id)).toEqual([53]);
});

test("a backlog is handed over page by page", async () => {
  const { finder, producers, queued, subscribed } = await begin();
  const { accountId, webhook } = await subscribed(NAMED);
  for (let at = 0; at < 250; at += 1) producers.closeEpoch(...(at % 2 === 0 ? [accountId] : []));
  await finder().run();
  expect(await queued(webhook.id)).toEqual(Array.from({ length: 125 }, (_, at) => 2 * at + 1));
});

test("four replicas that find the same deliver it once", async () => {
  const { finder, producers, queued, subscribed } = await begin();
  const { accountId, webhook } = await subscribed(NAMED);
  const finders = Array.from({ length: 4 }, () => finder());
  for (let at = 0; at < 40; at += 1) {
    producers.closeEpoch(accountId);
    await Promise.all(finders.map(({ run }) => run()));
  }
  expect(await queued(webhook.id)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
});

/** Fails once the deliveries are stored, before or after the commit. */
const dying = (pool: Pool, isCommitted: boolean) =>
  intercepted(pool, {
    transaction: async (work) => {
      if (isCommitted) await pool.transaction(work);
      else
        await pool.transaction(async (transaction) => {
          await work(transaction);
          throw unavailable("the process has crashed here");
        });
      throw unavailable("the process has crashed here");
    },
  });

test.for([false, true])(
  "once, where a replica crashes with its commit done: %s",
  async (isDone) => {
    const { database, finder, producers, queued, subscribed } = await begin();
    const { accountId, webhook } = await subscribed(NAMED);
    producers.closeEpoch(accountId);
    await finder(dying(database.pool(), isDone)).run();
    expect(await queued(webhook.id)).toEqual(isDone ? [1] : []);
    await finder().run();
    expect(await queued(webhook.id)).toEqual([1]);
  },
);

test("control: a cursor that moves outside of the transaction delivers twice", async () => {
  const { database, finder, producers, queued, subscribed } = await begin();
  const { accountId, webhook } = await subscribed(NAMED);
  producers.closeEpoch(accountId);
  const pool = database.pool();
  const apart = intercepted(pool, {
    // It would move the cursor after the commit, and crashes before it does.
    transaction: (work) =>
      pool.transaction((transaction) =>
        work({
          run: (statement, params) =>
            statement.name === "webhooks.move-cursor"
              ? Promise.resolve([{ position: "1" }] as never)
              : transaction.run(statement, params),
        }),
      ),
  });
  await finder(apart).run();
  await finder().run();
  expect(await queued(webhook.id)).toEqual([1, 1]);
});

test("accounts are compared when another epoch is served, until none is behind", async () => {
  const { finder, producers, subscribed } = await begin();
  const { accountId } = await subscribed(NAMED);
  const { run, worker } = finder();
  const reads = async (): Promise<number> => {
    producers.checkpointReads.length = 0;
    await run();
    return producers.checkpointReads.filter((ids) => ids.length > 0).length;
  };
  // Without a log.
  expect(await reads()).toBe(0);
  producers.closeEpoch(accountId);
  expect([await reads(), await reads(), await reads()]).toEqual([1, 1, 0]);
  // The account is silent.
  producers.closeEpoch();
  expect([await reads(), await reads()]).toEqual([1, 0]);
  // A new subscriber may have been created before an epoch that was compared without it.
  worker.expectSubscriber();
  expect([await reads(), await reads()]).toEqual([1, 0]);
});

test("accounts whose server is away are compared again", async () => {
  const { database, producers, replica, subscribed, queued } = await begin();
  const { accountId, webhook } = await subscribed(NAMED);
  producers.closeEpoch(accountId);
  const { fanOut, metrics, pool } = replica(database.pool());
  let isAway = true;
  const worker = new Checkpoints({
    database: pool,
    fanOut,
    intervalMs: 1_000,
    log,
    metrics,
    producers: {
      checkpoints: async (ids) => {
        const answer = await producers.checkpoints(ids);
        const nothing = { ...answer, positions: ids.map(() => 0n), isPartial: ids.length > 0 };
        return isAway ? nothing : answer;
      },
    },
  });
  await worker.run(NEVER);
  isAway = false;
  await worker.run(NEVER);
  await fanOut.settled();
  expect(await queued(webhook.id)).toEqual([1]);
});

test("an account whose checkpoints cannot be read keeps no other one from its turn", async () => {
  const { finder, producers, queued, subscribed } = await begin();
  const all = [await subscribed(NAMED), await subscribed(NAMED), await subscribed(NAMED)];
  const [first, failing, last] = all.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1));
  const read = producers.entries.bind(producers);
  let isFailing = true;
  producers.entries = (kind, accountId, ...given) =>
    isFailing && accountId === failing?.accountId
      ? Promise.reject(unavailable("keys does not sign"))
      : read(kind, accountId, ...given);
  producers.closeEpoch(...all.map(({ accountId }) => accountId));
  const { run } = finder();
  await run();
  const queues = () =>
    Promise.all([first, failing, last].map((one) => queued(one?.webhook.id ?? "")));
  expect(await queues()).toEqual([[1], [], [1]]);
  isFailing = false;
  await run();
  expect(await queues()).toEqual([[1], [1], [1]]);
});
