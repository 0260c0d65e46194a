// Guarantee: a webhook on which the clean-up fails keeps no other, and the run fails, so that it is repeated.

import { expect, test } from "vitest";
import { DATABASE_CLOCK } from "../store/moment.ts";
import { intercepted, newService } from "../testing/dispatcher.ts";
import { cleanUp } from "./clean-up.ts";

test("a webhook that cannot be removed keeps no other", async () => {
  const { database, handlers, subscribed } = await newService();
  const owners = await Promise.all(Array.from({ length: 3 }, () => subscribed()));
  for (const { accountId, webhook } of owners) await handlers.delete(accountId, webhook.id);
  const ids = owners.map(({ webhook }) => webhook.id);
  const pool = database.pool();
  const left = async () => {
    const rows = await database.query<{ id: string }>("SELECT id FROM webhooks.webhooks");
    return rows.map(({ id }) => id);
  };
  // The server of the first account is away.
  const [first] = owners.map(({ accountId }) => accountId).toSorted();
  const lost = owners.find(({ accountId }) => accountId === first)?.webhook.id;
  const failing = intercepted(pool, {
    run: (statement, params) => {
      const isList = statement.name.startsWith("webhooks.list-");
      if (!isList && params[0] === first) return Promise.reject(new Error("away"));
      return pool.run(statement, params);
    },
  });
  const given = { now: () => DATABASE_CLOCK, retentionDays: 30 };
  expect((await left()).toSorted()).toEqual(ids.toSorted());
  await expect(cleanUp({ ...given, database: failing })).rejects.toThrow("away");
  expect(await left()).toEqual([lost]);
  await cleanUp({ ...given, database: pool });
  expect(await left()).toEqual([]);
});
