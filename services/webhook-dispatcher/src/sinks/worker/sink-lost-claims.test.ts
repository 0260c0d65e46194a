// Guarantee: a batch that ends each process that sends it is sent again once at once, and then ever more
// rarely, on a real database. So it cannot end one dispatcher after the other without a pause (ADR 71).
// Whatever a receiver answers ends that: what is lost later is lost for the first time.

import { expect, test } from "vitest";
import { newSinkWorld } from "../../testing/sink-world.ts";

async function begin() {
  const world = await newSinkWorld();
  const { pool, replica, round } = world;
  const ended = new Error("the process has ended");
  /** It claims, sends and moves the cursor so often, and then stores nothing, not even that it stops. */
  const gone = (moves: number) => {
    let left = moves;
    return new Proxy(pool, {
      get: (target, name) => {
        if (name !== "forAccount") return Reflect.get(target, name);
        return () => ({
          run: (...given: Parameters<typeof pool.run>) =>
            given[0].name === "webhooks.claim-sink" ? pool.run(...given) : Promise.reject(ended),
          transaction: (...given: Parameters<typeof pool.transaction>) => {
            left -= 1;
            return left < 0 ? Promise.reject(ended) : pool.transaction(...given);
          },
        });
      },
    });
  };
  return { ...world, die: (moves = 0) => round(replica({ database: gone(moves) })) };
}

test("a batch that ends each process is sent again once at once, then ever more rarely", async () => {
  const { chains, create, die, pass, receivers, round, row } = await begin();
  const { accountId, id } = await create();
  chains.append(accountId, 10);
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

test.each([
  ["accepts", { outcome: "accepted" }, 0],
  ["refuses", { outcome: "refused", error: "It answered 503.", statusCode: 503 }, 3],
] as const)(
  "a receiver that %s a batch ends the count of claims that were lost",
  async (_, answer, attempts) => {
    const { chains, create, die, pass, receivers, round, row } = await begin();
    const { accountId, id } = await create();
    chains.append(accountId, 10);
    for (let n = 0; n < 3; n += 1) {
      await die();
      pass(100);
    }
    receivers.answer = () => answer;
    await round();
    chains.append(accountId, 10);
    pass(100);
    // The first one is lost, and the second one is not later for it, nor a failed attempt.
    for (let n = 0; n < 2; n += 1) {
      await die();
      pass(16);
    }
    expect(receivers.attempts).toHaveLength(6);
    expect(await row(id)).toMatchObject({ attempts, lost_claims: 1 });
  },
);

test("a batch that is taken ends the wait, also if the process ends with the next one", async () => {
  const { chains, create, die, pass, receivers, round, row } = await begin();
  const { accountId, id } = await create();
  chains.append(accountId, 1_500);
  for (let n = 0; n < 3; n += 1) {
    await die();
    pass(100);
  }
  await die(1);
  expect(await row(id)).toMatchObject({ cursor: "1000" });
  expect(receivers.attempts).toHaveLength(5);
  pass(16);
  await round();
  expect(await row(id)).toMatchObject({ cursor: "1500" });
});
