// Guarantee: kill -9 of a ledger at each step of an erasure, of retention and of a hold of one account, while
// two ledgers do all of these and append to it, leaves what the chain records and what is done the same.
// Nothing is erased or deleted without its record, and what a hold covers is kept. The other ledger ends
// what was left: erasures are completed, old events are deleted, and the chain verifies. The ledgers are
// processes with the workers of the service on a real PostgreSQL, and a clock that the test sets.

import { eventually } from "@annals/testing";
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect, inject, test } from "vitest";
import { type Death, KilledReplica, type Order } from "../../testing/killed-replicas.ts";
import { lifecycleFaults } from "../../testing/lifecycle-faults.ts";
import { openErasures } from "../../testing/erasure-fixtures.ts";
import { openRetention, type RetentionWorld } from "../../testing/retention-fixtures.ts";
import { appendOf, eventOf, eventsJsonOf } from "../../testing/test-ledger.ts";

const rounds = inject("lifecycleKills");
const ACCOUNT = "acct_1";
/** The retention of the account, and how much time passes between two rounds. */
const DAYS = 3;
const DAYS_OF_ROUND = 4;
/** Events of a round, of one actor. */
const EVENTS = 320;
/** Longest time until a ledger is killed that does not reach the statement at which it dies. */
const KILLED_WITHIN_MS = 1_500;
const WITHIN_MS = 60_000;
/** Fewer old events wait for a week until they are deleted. */
const UNRECORDED = 256;
const DUE_EVERY_MS = 50;
const ALONE_MS = 200;

const STATEMENTS = [
  ["claim-erasure", "list-erasable", "erase", "advance-erasure", "unindex", "finish-erasure"],
  ["complete-erasure", "lock-head-for-record", "append-events", "create-hold", "release-hold"],
  ["claim-retention", "lock-lifecycle", "set-cut", "expire", "finish-retention"],
].flat();
const LAST_OF_TRANSACTIONS = ["advance-erasure", "set-cut", "create-hold", "release-hold"];
const DEATHS: readonly Death[] = [
  ...STATEMENTS.map((statement) => ({ statement, when: "before" }) as const),
  ...STATEMENTS.map((statement) => ({ statement, when: "during" }) as const),
  ...LAST_OF_TRANSACTIONS.map((statement) => ({ statement, when: "commit" }) as const),
];

/** Spread over all deaths; every third ledger dies at a random moment. */
function deathOf(round: number, first: number): Death | undefined {
  if (round % 3 === 2) return undefined;
  const step = rounds < DEATHS.length ? Math.ceil(DEATHS.length / rounds) : 1;
  return DEATHS[(first + step * round) % DEATHS.length];
}

const actorOf = (round: number) => `u_${round}`;

type World = RetentionWorld & { readonly erasures: ReturnType<typeof openErasures> };

async function openWorld(): Promise<World> {
  const world = await openRetention();
  world.log.signer.retention = { days: DAYS, minDays: 2 };
  const { owner, ledger } = world.log;
  const erasures = openErasures({ clock: world.clock, owner, pool: ledger.database });
  return { ...world, erasures };
}

/** Appends the events of a round, and covers all. Resolves to the number of the last one. */
async function appendRound(world: World, round: number): Promise<number> {
  const event = eventOf({ actor: { id: actorOf(round) }, metadata: { round } });
  const eventsJson = eventsJsonOf(Array.from({ length: EVENTS }, () => event));
  await world.client.createEvents({ appends: [{ ...appendOf(ACCOUNT), eventsJson }] });
  await world.cover();
  await world.index();
  const [head] = await world.log.owner.query<{ last: number }>(
    "SELECT sequence_number::int AS last FROM ledger.heads WHERE account_id = $1",
    [ACCOUNT],
  );
  return head?.last ?? expect.fail("no head");
}

/** Makes the account due again for retention, and its erasures, until it is told to stop. */
function keepDue({ log: { owner } }: World) {
  let isOver = false;
  const due = (async () => {
    while (!isOver) {
      await owner.query(
        `UPDATE ledger.lifecycles SET leased_until = NULL, checked_at = statement_timestamp() - interval '1 day'
         WHERE account_id = $1`,
        [ACCOUNT],
      );
      await owner.query("UPDATE ledger.erasures SET due_at = now() WHERE status = 'running'");
      await pause(DUE_EVERY_MS);
    }
  })();
  return async () => {
    isOver = true;
    await due;
  };
}

const openOf = async ({ log }: World) => {
  const [row] = await log.owner.query<{ open: number }>(
    "SELECT count(*)::int AS open FROM ledger.erasures WHERE status IN ('pending', 'running')",
  );
  return row?.open;
};

const expectNoFaults = async (world: World, when: string) =>
  expect(await lifecycleFaults(world.log.owner, ACCOUNT), when).toEqual([]);

/** Expects of resting ledgers that an active hold keeps its events, and that without one the old ones go. */
async function expectEnded(world: World, lastOld: number): Promise<void> {
  const deleted = async () => Number((await world.lifecycle(ACCOUNT))?.["deleted"]);
  const before = await deleted();
  const { holds } = await world.client.listHolds({ accountId: ACCOUNT, limit: 100 });
  await world.laterDays(1);
  await world.newReplica().passes();
  const first = Math.min(...holds.map((hold) => Number(hold.fromSequence)));
  const isMoved = (await deleted()) > before;
  expect(isMoved && (await deleted()) >= first, "deleted under a hold").toBe(false);
  for (const { id } of holds) await world.client.releaseHold({ accountId: ACCOUNT, id });
  await world.laterDays(1);
  await world.newReplica().passes();
  expect(lastOld - (await deleted()), "old events that are left").toBeLessThan(UNRECORDED);
  const { firstInvalid, valid } = await world.client.verifyChain({ accountId: ACCOUNT });
  expect({ firstInvalid, valid }).toEqual({ firstInvalid: undefined, valid: true });
}

/** A ledger is killed at a step, or at a random moment. Resolves to whether it was at the step. */
async function killOne(replicas: readonly KilledReplica[], order: Order): Promise<boolean> {
  const [victim, other] = replicas.toSorted(() => randomInt(2) - 0.5);
  if (!victim || !other) throw new Error("two replicas are needed");
  const { death, ...alive } = order;
  victim.work(order);
  // The step is the victim's, if it is alone for a moment.
  if (death) await pause(ALONE_MS);
  other.work(alive);
  const within = death ? KILLED_WITHIN_MS : randomInt(KILLED_WITHIN_MS);
  let isAtStep = death !== undefined;
  const timer = setTimeout(() => {
    isAtStep = false;
    victim.kill();
  }, within);
  await victim.replaced();
  clearTimeout(timer);
  victim.work(alive);
  return isAtStep;
}

const timeout = rounds * WITHIN_MS;
test(`${rounds} rounds, a ledger killed in each`, { timeout }, async () => {
  const world = await openWorld();
  const { owner } = world.log;
  const replicas = [new KilledReplica(), new KilledReplica()];
  const first = randomInt(DEATHS.length);
  let [atStep, lastOld] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const when = `round ${round}, ${JSON.stringify(deathOf(round, first) ?? "random")}`;
    await world.laterDays(DAYS_OF_ROUND);
    const last = await appendRound(world, round);
    // Retention deletes the events of one of them at the same time.
    for (const actorId of [actorOf(round - 1), actorOf(round)])
      await world.erasures.ask(ACCOUNT, { actorId });
    const stop = keepDue(world);
    const order = {
      databaseUrl: owner.url,
      accountId: ACCOUNT,
      time: world.clock.nowText(),
      days: DAYS,
      held: [Math.max(lastOld - EVENTS, 1), last] as const,
      death: deathOf(round, first),
    };
    if (await killOne(replicas, order)) atStep += 1;
    await expectNoFaults(world, `${when}, after the kill`);
    await eventually("all are completed", async () => (await openOf(world)) === 0, WITHIN_MS);
    await stop();
    await Promise.all(replicas.map((replica) => replica.rest()));
    await expectNoFaults(world, when);
    await expectEnded(world, lastOld);
    await expectNoFaults(world, `${when}, at its end`);
    lastOld = last;
  }
  expect(atStep, "kills at a step").toBeGreaterThan(0);
  const [done] = await owner.query<{ erased: number; held: number }>(
    "SELECT sum(erased)::int AS erased, sum(held)::int AS held FROM ledger.erasures",
  );
  const { deleted } = (await world.lifecycle(ACCOUNT)) ?? {};
  process.stdout.write(
    `${JSON.stringify({ rounds, atStep, events: lastOld, deleted, ...done })}\n`,
  );
});
