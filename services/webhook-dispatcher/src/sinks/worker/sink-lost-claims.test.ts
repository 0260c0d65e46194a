// Guarantee: a batch that ends each process that sends it is sent again once at once, and then ever more
// rarely, on a real database. So it cannot end one dispatcher after the other without a pause (ADR 71).

import { expect, test } from "vitest";
import { newSinkWorld } from "../../testing/sink-world.ts";

test("a batch that ends each process is sent again once at once, then ever more rarely", async () => {
  const { chains, create, pass, pool, receivers, replica, round, row } = await newSinkWorld();
  const { accountId, id } = await create();
  chains.append(accountId, 10);
  const ended = new Error("the process has ended");
  // It claims and sends, and then stores nothing, not even that it stops.
  const gone = new Proxy(pool, {
    get: (target, name) => {
      if (name !== "forAccount") return Reflect.get(target, name);
      return () => ({
        run: (...given: Parameters<typeof pool.run>) =>
          given[0].name === "webhooks.claim-sink" ? pool.run(...given) : Promise.reject(ended),
        transaction: () => Promise.reject(ended),
      });
    },
  });
  const die = () => round(replica({ database: gone }));
  await die();
  for (const [at, waitS] of [30, 60, 120, 240, 300, 300].entries()) {
    pass(16);
    await die();
    expect(receivers.attempts).toHaveLength(at + 2);
    expect(await row(id)).toMatchObject({ cursor: "0", attempts: at });
    pass(waitS - 2);
    await die();
    expect(receivers.attempts).toHaveLength(at + 2);
    pass(1);
  }
  expect(await row(id)).toMatchObject({
    last_error: "The service was interrupted while it sent a batch.",
  });
  pass(16);
  await round();
  expect(await row(id)).toMatchObject({
    cursor: "10",
    attempts: 0,
    last_error: null,
    leased_until: null,
  });
  pass(5);
  chains.append(accountId, 1);
  await round();
  expect(receivers.numbers(accountId).at(-1)).toBe(11);
});
