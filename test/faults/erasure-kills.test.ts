// Guarantee: kill -9 of a ledger at any moment of an erasure, while events are appended and holds are placed
// and released in the same account through two ledgers, leaves what the chain records and what is done the
// same: no part is erased without its record, no record names what is there, and no event is erased that a
// hold covered then. Each erasure is completed, and the chain verifies.

import { eventually } from "@annals/testing";
import type { StackProcess } from "@annals/local";
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
  addGatewayOfEachLedger,
  allServing,
  processesOf,
  startTestbed,
  type Testbed,
} from "../system/testbed.ts";
import { report } from "../system/report.ts";

const { rounds } = inject("form").erasureKills;
/** Events of a round, which four records erase. */
const EVENTS = 1_000;
/** Longest time from the beginning of the erasure to the kill: the batches of a round take about as long. */
const KILLED_WITHIN_MS = 500;
const WITHIN_MS = 60_000;
const HOLD_EVERY_MS = 30;
const HELD_EVENTS = 20;
const PARTS = ["actor", "metadata"];

let bed: Testbed;

beforeAll(async () => {
  bed = await startTestbed({
    replicas: { gateway: 1, keys: 1, ledger: 2 },
    env: { ledger: { ANNALS_ERASURE_COPIES: "none", ANNALS_ERASURE_DELAY_H: "0" } },
    without: ["nats", "export", "webhook-dispatcher"],
  });
  await addGatewayOfEachLedger(bed.stack);
});
afterAll(() => bed?.stop());

type Account = Awaited<ReturnType<Testbed["account"]>>;

/** Appends, and places and releases holds on some of the events, until it is told to stop. */
function disturb({ clients }: Account, [first, last]: readonly [number, number]) {
  let isOver = false;
  const ignored = () => undefined;
  const of = (turn: number) => clients[turn % clients.length]!;
  const appends = (async () => {
    for (let turn = 0; !isOver; turn += 1)
      await of(turn).post("/v1/events", { action: "meanwhile" }).catch(ignored);
  })();
  const holds = (async () => {
    const placed: string[] = [];
    for (let turn = 0; !isOver; turn += 1) {
      const from = randomInt(first, last);
      const range = { from_sequence: from, to_sequence: from + HELD_EVENTS };
      const answer = await of(turn).post("/v1/holds", range).catch(ignored);
      if (answer?.status === 201) placed.push(answer.body.data.id);
      const released = turn % 2 === 1 ? placed.shift() : undefined;
      if (released !== undefined)
        await of(turn + 1)
          .delete(`/v1/holds/${released}`)
          .catch(ignored);
      await pause(HOLD_EVERY_MS);
    }
  })();
  return async () => {
    isOver = true;
    await Promise.all([appends, holds]);
  };
}

/** Ends the leases of a ledger that was killed. One that lives may lose its own by it, as at any time. */
const endLeases = () =>
  bed.owner.query("UPDATE ledger.erasures SET due_at = now() WHERE status = 'running'");

interface Row {
  readonly id: string;
  readonly status: string;
  readonly done: number;
  readonly last: number;
}

async function requestOf(id: string): Promise<Row> {
  const [row] = await bed.owner.query<Row & Record<string, unknown>>(
    `SELECT id, status, done_through::int AS done, up_to_sequence::int AS last FROM ledger.erasures WHERE id = $1`,
    [id],
  );
  return row ?? expect.fail(`no erasure ${id}`);
}

/** Lists where the records of the chain and the tables differ. */
async function faultsOf(accountId: string): Promise<Record<string, unknown>[]> {
  return bed.owner.query(
    `WITH records AS (
       SELECT sequence_number AS record, action, metadata::jsonb AS said FROM ledger.events
       WHERE account_id = $1 AND action IN ('annals.erasure', 'annals.hold')
     ), ranges AS (
       SELECT record, split_part(range, '-', 1)::bigint AS first,
         coalesce(nullif(split_part(range, '-', 2), ''), range)::bigint AS last
       FROM records CROSS JOIN LATERAL regexp_split_to_table(said ->> 'sequence_numbers', ',') AS range
       WHERE action = 'annals.erasure'
     ), named AS (
       SELECT generate_series(first, last) AS number FROM ranges
     ), erased AS (
       SELECT sequence_number AS number FROM ledger.events WHERE account_id = $1 AND erased = 9
     )
     SELECT 'recorded and not done' AS fault, number FROM (TABLE named EXCEPT TABLE erased) AS undone
     UNION ALL SELECT 'done and not recorded', number
       FROM (TABLE erased EXCEPT TABLE named) AS unrecorded
     UNION ALL SELECT 'erased in part', sequence_number FROM ledger.events
       WHERE account_id = $1 AND erased NOT IN (0, 9)
     UNION ALL SELECT 'recorded twice', number FROM named GROUP BY number HAVING count(*) > 1
     UNION ALL SELECT 'erased under the hold ' || id, first FROM ranges JOIN ledger.holds
       ON account_id = $1 AND first <= to_sequence AND last >= from_sequence
       AND record > placed_by AND record < coalesce(released_by, 9e18)
     UNION ALL SELECT 'recorded hold without its row', record FROM records WHERE action = 'annals.hold'
       AND NOT EXISTS (SELECT 1 FROM ledger.holds WHERE account_id = $1 AND id = said ->> 'hold'
         AND record = CASE said ->> 'state' WHEN 'placed' THEN placed_by ELSE released_by END)
     UNION ALL SELECT 'hold without its record ' || id, placed_by FROM ledger.holds WHERE account_id = $1
       AND placed_by NOT IN (SELECT record FROM records WHERE action = 'annals.hold')`,
    [accountId],
  );
}

test(`${rounds} erasures, a ledger killed in each`, async () => {
  const account = await bed.account();
  const { accountId, clients } = account;
  let felt = 0;
  for (let round = 0; round < rounds; round += 1) {
    const actor = { id: `u_${round}` };
    const events = Array.from({ length: EVENTS }, (_, n) => ({
      action: "a",
      actor,
      metadata: { n },
    }));
    const stored = await clients[0]!.post("/v1/events/batch", { events });
    expect(stored.status).toBe(201);
    const numbers: number[] = stored.body.data.map(
      (event: { sequence_number: number }) => event.sequence_number,
    );
    const stop = disturb(account, [numbers[0]!, numbers.at(-1)!]);
    const asked = { actor_id: actor.id, parts: PARTS };
    const { body } = await clients[0]!.post("/v1/erasures", asked);
    const { id } = body.data;
    await eventually(
      "it begins",
      async () => (await requestOf(id)).status !== "pending",
      WITHIN_MS,
    );
    // On a fast machine an erasure may take less than that: the first kill comes at once.
    await pause(round === 0 ? 0 : randomInt(KILLED_WITHIN_MS));
    const victims = processesOf(bed.stack, "ledger");
    const victim = victims[randomInt(victims.length)] as StackProcess;
    expect(victim.kill("SIGKILL")).toBe(true);
    const killed = await requestOf(id);
    if (killed.done < killed.last) felt += 1;
    expect(await faultsOf(accountId), `round ${round}, at the kill`).toEqual([]);
    await endLeases();
    await allServing(bed.stack);
    await eventually(
      "it is completed",
      async () => (await requestOf(id)).status === "completed",
      WITHIN_MS,
    );
    await stop();
    expect(await faultsOf(accountId), `round ${round}`).toEqual([]);
    const [left] = await bed.owner.query(
      `SELECT (SELECT count(*)::int FROM ledger.events
           WHERE account_id = $1 AND actor_id = $2) AS there, held::int, erased::int
       FROM ledger.erasures WHERE id = $3`,
      [accountId, actor.id, id],
    );
    expect(left).toEqual({
      there: left?.["held"],
      held: left?.["held"],
      erased: EVENTS - Number(left?.["held"]),
    });
  }
  const { body } = await clients[0]!.get("/v1/verify");
  expect(body.data).toMatchObject({ valid: true, first_invalid: null });
  expect(felt, "kills during an erasure").toBeGreaterThan(0);
  report({ rounds, felt, events: body.data.checked, erased: body.data.erased });
});
