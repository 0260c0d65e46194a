// Guarantees: an operator's request is one of the account's, recorded and audited as the operator's, also of
// the system account; it can be shown and cancelled. What was erased is printed without a value. In a
// database that was restored to before an erasure, `erasures reapply` records it and erases it again; a chain
// that has other events is named and left alone, and so is an event that a hold covers.

import { SYSTEM_ACCOUNT_ID } from "@annals/contract";
import { ON_ONE_SERVER, ownerOf } from "@annals/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { append, newAccountId, newQueue } from "../../testing/append-fixtures.ts";
import { openPool } from "../../testing/database.ts";
import { openErasures } from "../../testing/erasure-fixtures.ts";
import {
  eventBy,
  type LifecycleFixtures,
  openLifecycleFixtures,
} from "../../testing/lifecycle-fixtures.ts";
import { commandsOn } from "../../testing/run-command.ts";

const PARTS = ["--parts", "actor,context,metadata"];
const U_1 = ["--actor", "u_1"];

let world: LifecycleFixtures;
let erasures: ReturnType<typeof openErasures>;
let commands: ReturnType<typeof commandsOn>;
let replica: ReturnType<typeof erasures.newReplica>;
let folder: string;

beforeAll(async () => {
  world = await openLifecycleFixtures();
  erasures = openErasures(world);
  commands = commandsOn(world.owner.url, "erasures");
  replica = erasures.newReplica(undefined, undefined, afterAll);
  folder = await mkdtemp(join(tmpdir(), "annals-erasures-"));
  afterAll(() => rm(folder, { recursive: true }));
});

async function eraseFrom(accountId: string): Promise<void> {
  await commands.json("request", "--account", accountId, ...U_1, ...PARTS, "--reference", "case 7");
  await erasures.letTimePass();
  await replica.pass();
}

describe("a request of the operator", () => {
  test("waits, is done and recorded as the operator's, and is shown without its selector then", async () => {
    const accountId = await world.newChain(6);
    const account = ["--account", accountId];
    const asked = await commands.json("request", ...account, ...U_1, ...PARTS);
    expect(asked).toMatchObject({ status: "pending", actor_id: "u_1", up_to_sequence: 6 });
    expect(asked.parts).toEqual(["actor", "context", "metadata"]);
    await replica.pass();
    expect(await erasures.recordedAndErased(accountId)).toEqual({ records: [], erased: [] });
    await erasures.letTimePass();
    await replica.pass();
    expect(await erasures.recordedAndErased(accountId)).toEqual({
      records: [[2, 5]],
      erased: [2, 5],
    });
    const line = `${asked.id}\tcompleted\t-\tactor,context,metadata\t6\t2\t0\n`;
    expect(await commands.run("show", ...account)).toMatchObject({ status: 0, stdout: line });
    const one = await commands.json("show", ...account, "--erasure", asked.id);
    expect(one).toMatchObject({ id: asked.id, actor_id: null, erased: 2, begins_at: null });
    const said = await world.owner.query(
      `SELECT actor FROM ledger.events WHERE account_id = $1 AND action = 'annals.erasure'
       UNION ALL SELECT event::json ->> 'actor' FROM ledger.audit_outbox WHERE account_id = $1`,
      [accountId],
    );
    expect(said).toEqual([{ actor: '{"type":"operator"}' }, { actor: '{"type":"operator"}' }]);
  });

  test("can be cancelled until it begins", async () => {
    const accountId = await world.newChain(3);
    const account = ["--account", accountId];
    const { id } = await commands.json("request", ...account, "--target", "inv_9", ...PARTS);
    const shown = (await commands.run("show", ...account)).stdout;
    expect(shown).toBe(`${id}\tpending\t{"target_id":"inv_9"}\tactor,context,metadata\t3\t0\t0\n`);
    const cancel = () => commands.run("cancel", ...account, "--erasure", id);
    expect(await cancel()).toMatchObject({ status: 0, stdout: `cancelled ${id}\n` });
    await erasures.letTimePass();
    await replica.pass();
    expect(await erasures.recordedAndErased(accountId)).toEqual({ records: [], erased: [] });
    const entries = await world.owner.query<{ event: string }>(
      "SELECT event FROM ledger.audit_outbox WHERE account_id = $1 ORDER BY number",
      [accountId],
    );
    expect(entries.map(({ event }) => JSON.parse(event))).toMatchObject([
      { action: "annals.erasure.requested", actor: { type: "operator" }, target: { id } },
      { action: "annals.erasure.cancelled", actor: { type: "operator" }, target: { id } },
    ]);
  });

  test("reaches the system account", async () => {
    await world.appendTo(SYSTEM_ACCOUNT_ID, [eventBy(1, "annals.key.created"), eventBy(2)]);
    await eraseFrom(SYSTEM_ACCOUNT_ID);
    const done = await erasures.recordedAndErased(SYSTEM_ACCOUNT_ID);
    expect(done).toEqual({ records: [[1]], erased: [1] });
  });

  test.each([
    ["two selectors", [...U_1, "--event", "evt_1", ...PARTS], "exactly one of"],
    ["none", PARTS, "exactly one of"],
    ["an unknown part", [...U_1, "--parts", "actor,secret"], "parts[1]: must be one of"],
  ])("with %s is refused, and stores nothing", async (_, words, message) => {
    const accountId = await world.newChain(1);
    const outcome = await commands.run("request", "--account", accountId, ...words);
    expect(outcome).toMatchObject({ status: 2, stdout: "" });
    expect(outcome.stderr).toContain(message);
    expect(await erasures.request(accountId)).toEqual({});
  });
});

describe.runIf(ON_ONE_SERVER)("a database restored to before an erasure", () => {
  const [erased, forked] = [newAccountId(), newAccountId()];
  let restored: Awaited<ReturnType<typeof restore>>;
  let lines: string[];

  beforeAll(async () => {
    await world.appendTo(
      erased,
      [0, 1, 2, 0, 1, 2].map((who) => eventBy(who)),
    );
    await world.appendTo(forked, [eventBy(0)]);
    restored = await restore(world.owner.url);
    await world.appendTo(forked, [eventBy(1)]);
    await eraseFrom(erased);
    await eraseFrom(forked);
    await restored.append(forked, 1);
    const { stdout } = await commands.run("list");
    lines = stdout.split("\n").filter((line) => line.includes(erased) || line.includes(forked));
  });

  const reapply = async (text: string) => {
    const file = join(folder, "erasures.jsonl");
    await writeFile(file, text);
    return restored.commands.run("reapply", "--file", file);
  };

  test("the list has a line for each record, without a value", () => {
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    const said = { parts: ["actor", "context", "metadata"], reference: "case 7", hash };
    const [id, record] = [expect.stringMatching(/^era_/), expect.any(Number)];
    const parsed = lines.map((line) => JSON.parse(line));
    expect(new Set(parsed)).toEqual(
      new Set([
        { account_id: erased, record, erasure: id, sequence_numbers: "2,5", ...said },
        { account_id: forked, record, erasure: id, sequence_numbers: "2", ...said },
      ]),
    );
    expect(lines.join()).not.toContain("u_1");
  });

  test("another hash in the file names the chain, and nothing is erased", async () => {
    const text = lines
      .join("\n")
      .replaceAll(/"hash":"[0-9a-f]{64}"/g, `"hash":"${"0".repeat(64)}"`);
    const { status, stdout } = await reapply(text);
    expect([status, stdout.split("\n").length]).toEqual([1, 4]);
    expect(stdout).toContain(`record 7 of ${erased}: ${erased} differs: its event 5 has the hash`);
    expect(stdout).toContain("events erased again: 0, by 0 of 2 records");
    expect(await restored.recordedAndErased(erased)).toEqual({ records: [], erased: [] });
  });

  test("what a hold covers is named and kept, until its release", async () => {
    const hold = await restored.holds.json("place", "--account", erased, "--from", "5");
    const text = lines.filter((line) => line.includes(erased)).join("\n");
    const { status, stdout } = await reapply(text);
    expect(status).toBe(1);
    expect(stdout).toContain(`record 7 of ${erased}: the hold ${hold.id} covers 1 of its events\n`);
    expect(await restored.recordedAndErased(erased)).toEqual({ records: [[2]], erased: [2] });
    await restored.holds.run("release", "--account", erased, "--hold", hold.id);
  });

  test("it is erased again and recorded; a chain that differs is named and left alone", async () => {
    const { status, stdout } = await reapply(lines.join("\n"));
    expect(status).toBe(1);
    expect(stdout).toContain(`record 3 of ${forked}: ${forked} differs: its event 2 has the hash`);
    expect(stdout).toContain("events erased again: 1, by 1 of 2 records");
    expect(await restored.recordedAndErased(erased)).toEqual({
      records: [[2], [5]],
      erased: [2, 5],
    });
    expect(await restored.recordedAndErased(forked)).toEqual({ records: [], erased: [] });
    for (const account of [erased, forked])
      expect((await restored.verify.run("--account", account)).status).toBe(0);
  });

  test("the second time nothing is left to erase", async () => {
    const text = lines.filter((line) => line.includes(erased)).join("\n");
    expect(await reapply(text)).toMatchObject({
      status: 0,
      stdout: "events erased again: 0, by 0 of 1 records\n",
    });
    const { records } = await restored.recordedAndErased(erased);
    expect(records).toEqual([[2], [5]]);
  });
});

/** The state of this moment in a database of its own, as a restored backup has it. */
async function restore(url: string) {
  const server = ownerOf(inject("stack").databaseUrl);
  const source = new URL(url).pathname.slice(1);
  const name = `${source}_restored`;
  // A template must have no session.
  await server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [
    source,
  ]);
  await server.query(`CREATE DATABASE ${name} TEMPLATE ${source}`);
  const target = new URL(url);
  target.pathname = `/${name}`;
  const owner = ownerOf(target.href);
  const drop = async () => {
    await owner.close();
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await server.close();
  };
  afterAll(drop);
  const database = { ...owner, url: target.href, drop };
  const pool = openPool(target.href, { atEnd: afterAll });
  const { recordedAndErased } = openErasures({ owner: database, pool });
  return {
    recordedAndErased,
    append: (accountId: string, who: number) =>
      newQueue(target.href, undefined, afterAll).queue.submit(
        append(accountId, { events: [eventBy(who)] }),
      ),
    commands: commandsOn(target.href, "erasures"),
    holds: commandsOn(target.href, "holds"),
    verify: commandsOn(target.href, "verify"),
  };
}
