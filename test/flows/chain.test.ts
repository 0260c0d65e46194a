// However many write to one account, over however many gateways and ledgers: one chain, no gap, no
// fork. The check that says so finds the broken chain of an append path whose lock and conditions
// were taken away.

import { createLog, Registry } from "@annals/chassis";
import { atOnce, newId, systemClock } from "@annals/contract";
import { AppendQueue, createMetrics, prepareAppend } from "@annals/ledger/testing";
import { createPool, type Database, type Pool, type Statement } from "@annals/postgres";
import {
  createMigratedDatabase,
  HttpClient,
  newAccount,
  newKey,
  ownerOf,
  type TestDatabase,
} from "@annals/testing";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { chainFaults } from "../system/chain-faults.ts";
import { metricOf } from "../system/metric-of.ts";
import { shared, type SharedSystem } from "../system/shared-systems.ts";

const WRITERS = 64;
const { appends: APPENDS, geneses: GENESES } = inject("form").chain;
const LEDGERS = inject("form").ledgers;

/** Requests that a key sends: fewer than its limit. */
const OF_A_KEY = 80;

let system: SharedSystem;
let owner: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  system = await shared("replicas");
  owner = ownerOf(system.databaseUrl);
});

afterAll(() => owner.close());

/** A busy account, and clients of all gateways with as many of its keys as the requests need. */
async function newClients(requests: number) {
  const { accountId, key } = await newAccount(system.databaseUrl);
  await owner.query("UPDATE keys.accounts SET plan = 'busy' WHERE account_id = $1", [accountId]);
  const gateways = system.baseUrls.map((baseUrl) => new HttpClient(baseUrl, key));
  onTestFinished(() => gateways.forEach((gateway) => gateway.close()));
  const clients = [...gateways];
  for (let sent = OF_A_KEY; sent < requests; sent += OF_A_KEY) {
    const more = await newKey(system.databaseUrl, accountId);
    clients.push(...gateways.map((gateway) => gateway.as(more.key)));
  }
  return { accountId, clients };
}

const take = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

test(`${WRITERS} writers over ${LEDGERS + 1} gateways and ${LEDGERS} ledgers make one chain of ${APPENDS} events`, async () => {
  const { accountId, clients } = await newClients(APPENDS);
  const before = await counts();
  const answered = new Map<number, string>();
  let left = APPENDS;
  const write = async () => {
    while (left > 0) {
      left -= 1;
      const event = { action: "a", metadata: { left } };
      const { status, body } = await take(clients, left).post("/v1/events", event);
      expect(status).toBe(201);
      answered.set(body.data.sequence_number, body.data.hash);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  expect(await chainFaults(owner, accountId, APPENDS)).toEqual([]);
  expect(answered.size).toBe(APPENDS);
  const rows = await owner.query(
    "SELECT sequence_number, encode(hash, 'hex') AS hash FROM ledger.events WHERE account_id = $1",
    [accountId],
  );
  expect(
    rows.filter((row) => answered.get(Number(row["sequence_number"])) !== row["hash"]),
  ).toEqual([]);
  const { body } = await take(clients, 0).get("/v1/verify");
  expect(body.data).toMatchObject({ valid: true, checked: APPENDS });
  // All of them took part.
  const after = await counts();
  const idle = after.filter(({ count, least }, at) => count - (before[at]?.count ?? 0) <= least);
  expect(idle).toEqual([]);
});

/** What each ledger and gateway has done so far, and what it does at least for the chain. */
async function counts() {
  const metrics = {
    ledger: { name: "annals_append_group_size_count", least: APPENDS / 200 },
    gateway: { name: "http_server_request_duration_seconds_count", least: APPENDS / 20 },
  };
  const serving = system.processes.flatMap(({ service, adminUrl }) =>
    service === "ledger" || service === "gateway" ? [{ ...metrics[service], adminUrl }] : [],
  );
  return Promise.all(
    serving.map(async (one) => ({ ...one, count: await metricOf(one.adminUrl, one.name) })),
  );
}

test("200 simultaneous first appends make one genesis", async () => {
  for (let round = 0; round < GENESES; round += 1) {
    const { accountId, clients } = await newClients(200);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        take(clients, n).post("/v1/events", { action: `a${n}` }),
      ),
    );
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
    expect(answers.filter(({ body }) => body.data.previous_hash === "0".repeat(64))).toHaveLength(
      1,
    );
    expect(await chainFaults(owner, accountId, 200)).toEqual([]);
  }
});

describe("control: the append path of the ledger, composed in the test", () => {
  type Change = (text: string) => string;

  /** The same pool with other statements, by name. Each change has to change something. */
  function withStatements(pool: Pool, changes: Readonly<Record<string, Change>>): Pool {
    const runner = (database: Database): Database["run"] => {
      return <Params extends readonly unknown[], Row>(
        statement: Statement<Params, Row>,
        params: Params,
      ) => {
        const change = changes[statement.name];
        const text = change?.(statement.text) ?? statement.text;
        if (change && text === statement.text) throw new Error(`${statement.name} was not changed`);
        return database.run({ ...statement, text }, params);
      };
    };
    const changed: Pool = {
      ...pool,
      forAccount: () => changed,
      run: runner(pool),
      transaction: (work) => pool.transaction((transaction) => work({ run: runner(transaction) })),
    };
    return changed;
  }

  /** What is wrong with a chain that two append queues have written at the same time. */
  async function faultsOf(options: {
    readonly conditions: boolean;
    readonly changes: Readonly<Record<string, Change>>;
  }): Promise<string[]> {
    const database = await createMigratedDatabase(inject("stack").databaseUrl);
    onTestFinished(() => database.drop());
    if (!options.conditions) {
      await database.query("ALTER TABLE ledger.events DROP CONSTRAINT events_sequence_number");
      await removeConditions(database);
    }
    const log = createLog({ service: "test", level: "error" }, { write: () => {} });
    const queues = [1, 2].map(() => {
      const pool = createPool({
        connectionString: database.url,
        applicationName: "annals-chain-test",
        maxConnections: 4,
        statementTimeoutMs: 10_000,
        log,
      });
      onTestFinished(() => pool.close());
      return new AppendQueue({
        clock: systemClock(),
        database: withStatements(pool, options.changes),
        log,
        metrics: createMetrics(new Registry()),
        notices: { notify: () => {} },
        random: randomBytes,
      });
    });
    const accountId = newId("acct");
    const write = async (queue: AppendQueue) => {
      for (let n = 0; n < 50; n += 1)
        await queue.submit(atOnce(prepareAppend(oneEvent(accountId), randomBytes)));
    };
    await Promise.all(Array.from({ length: 16 }, (_, n) => write(take(queues, n))));
    return chainFaults(database, accountId, 800);
  }

  const oneEvent = (accountId: string) => {
    const time = "2026-01-31T09:30:00.000000Z";
    const empty = Buffer.from("{}");
    const parts = { actor: empty, context: empty, diff: empty, metadata: empty, target: empty };
    return {
      accountId,
      receivedAt: time,
      idempotencyKey: "",
      requestSha256: new Uint8Array(),
      events: [{ action: "a", occurredAt: time, ...parts }],
    };
  };

  const unlocked: Change = (text) => text.replace("FOR NO KEY UPDATE", "");

  /** `ledger.append` without its conditions on the head and on the last event. */
  async function removeConditions(database: TestDatabase): Promise<void> {
    const [row] = await database.query<{ definition: string }>(
      "SELECT pg_get_functiondef('ledger.append'::regproc) AS definition",
    );
    const remove = (text: string, condition: RegExp) => {
      expect(text).toMatch(condition);
      return text.replace(condition, "");
    };
    const conditions = [
      /IF NOT coalesce\([^]*?END IF;/,
      / AND sequence_number = head_sequence AND hash = hash_before/,
    ];
    await database.query(conditions.reduce(remove, row?.definition ?? ""));
  }

  test("as it is, it passes the check", async () => {
    expect(await faultsOf({ conditions: true, changes: {} })).toEqual([]);
  });

  test("without the lock, the conditions on the head and the constraints it fails the check", async () => {
    const changes = { "ledger.lock-head": unlocked };
    const faults = await faultsOf({ conditions: false, changes });
    expect(faults.join("; ")).toContain("a fork");
    expect(faults.join("; ")).toContain("two events of one number");
  });
});
