// Guarantee: a sink begins where its client said, and a replay sets it back as one change that a batch in
// flight cannot undo. Its secrets are in no response, audit entry or column. The number of sinks of a plan is
// exact, and no account reaches the sink of another. What is recorded is recorded with the change.

import { systemClock } from "@annals/contract";
import { SinkFormat, SinkState } from "@annals/proto/sinks";
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { resealAll } from "../../sealing/commands/rotate-sealing-key.ts";
import { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import { secretKeysCheck } from "../../sealing/secret-keys-check.ts";
import { KEY_LINE, newAccountId, newService } from "../../testing/dispatcher.ts";
import { httpConfig, SECRET, sinkHandlers } from "../../testing/sinks.ts";

async function begin() {
  const service = await newService();
  const rows = () =>
    service.database.query<Record<string, unknown>>(
      "SELECT * FROM webhooks.sinks ORDER BY created_at, id",
    );
  const entries = async () => {
    const found = await service.database.query<{ event: string }>(
      "SELECT event FROM webhooks.audit_outbox ORDER BY number",
    );
    return found.map(({ event }) => JSON.parse(event));
  };
  return {
    ...service,
    accountId: newAccountId(),
    entries,
    rows,
    sinks: sinkHandlers(service.handlers),
  };
}

const fault = (field: string, message = expect.any(String)) => ({
  kind: "invalid",
  faults: [{ field, message }],
});

describe("where a sink begins", () => {
  test.each([
    ["now", undefined, "7"],
    ["at the first event", 1n, "0"],
    ["at a number", 5n, "4"],
    ["at the next event", 8n, "7"],
  ])("%s", async (_, fromSequenceNumber, cursor) => {
    const { accountId, producers, rows, sinks } = await begin();
    producers.add(accountId, "events", 7);
    await sinks.create(accountId, fromSequenceNumber === undefined ? {} : { fromSequenceNumber });
    expect(await rows()).toMatchObject([
      { cursor, checkpoint_from: String(BigInt(cursor) + 1n), checkpoint_count: "0" },
    ]);
  });

  test.each([0n, 9n])("never at %d", async (fromSequenceNumber) => {
    const { accountId, producers, rows, sinks } = await begin();
    producers.add(accountId, "events", 7);
    await expect(sinks.create(accountId, { fromSequenceNumber })).rejects.toMatchObject(
      fault("from"),
    );
    expect(await rows()).toEqual([]);
  });

  test("at the first event that retention has left", async () => {
    const { accountId, producers, rows, sinks } = await begin();
    producers.add(accountId, "events", 7);
    producers.deletedThrough = 3n;
    await sinks.create(accountId, { fromSequenceNumber: 1n });
    expect(await rows()).toMatchObject([{ cursor: "3", checkpoint_from: "4" }]);
  });
});

describe("secrets", () => {
  test("are in no response, audit entry or column, and can be opened", async () => {
    const { accountId, database, entries, rows, sinks } = await begin();
    const made = await sinks.create(accountId);
    await sinks.update(accountId, made.id, {
      ...httpConfig({ url: "https://b.example.com/x?y=1" }),
    });
    const shown = [made, await sinks.get(accountId, made.id), await sinks.list(accountId)];
    expect(JSON.parse(made.config)).toMatchObject({
      type: "http",
      headers: { Authorization: null },
    });
    const [row] = await rows();
    const recorded = await entries();
    const texts = JSON.stringify([shown, recorded, row], (_, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(texts).not.toContain("top-secret");
    expect(String(row?.["config_sealed"])).not.toContain("top-secret");
    expect(recorded).toMatchObject([
      { action: "annals.sink.created", diff: { after: { receiver: "https://siem.example.com" } } },
      {
        action: "annals.sink.updated",
        diff: { after: { receiver: "https://b.example.com" } },
        metadata: { config_replaced: true },
      },
    ]);
    const [sealed] = await database.query<{ keyId: string; bytes: Buffer }>(
      `SELECT config_key_id AS "keyId", config_sealed AS bytes FROM webhooks.sinks`,
    );
    if (!sealed) throw new Error("there is no sink");
    const opened = new SecretKeys(KEY_LINE).open(sealed, { accountId, sinkId: made.id });
    expect(JSON.parse(opened)).toMatchObject({ type: "http", headers: { Authorization: SECRET } });
  });

  test("move to a new sealing key, and the old one is no longer needed", async () => {
    const { accountId, database, handlers, sinks } = await begin();
    await handlers.create(accountId);
    const made = [await sinks.create(accountId), await sinks.create(accountId)];
    const line = `test-2:${randomBytes(32).toString("base64")}`;
    const onlyNew = secretKeysCheck(database.pool(), new SecretKeys(line));
    await database.query("DELETE FROM webhooks.webhooks");
    expect(await onlyNew()).toContain("test-1");
    expect(await resealAll(database.pool(), new SecretKeys(`${line}\n${KEY_LINE}`))).toBe(2);
    expect(await onlyNew()).toBeUndefined();
    const [row] = await database.query<{ id: string; keyId: string; bytes: Buffer }>(
      `SELECT id, config_key_id AS "keyId", config_sealed AS bytes FROM webhooks.sinks ORDER BY id`,
    );
    if (!row) throw new Error("there is no sink");
    expect(made.map(({ id }) => id)).toContain(row.id);
    expect(new SecretKeys(line).open(row, { accountId, sinkId: row.id })).toContain(SECRET);
  });
});

describe("changes", () => {
  test("keep what is absent, and pause and activate", async () => {
    const { accountId, database, rows, sinks } = await begin();
    const { id } = await sinks.create(accountId, {
      filter: { action: { values: ["user.*"] } },
      leaveOut: ["diff", "context", "diff"],
    });
    const failing =
      "attempts = 3, failing_since = now(), last_error = 'refused', due_at = 'infinity'";
    await database.query(`UPDATE webhooks.sinks SET ${failing}`);
    expect((await sinks.get(accountId, id)).state).toBe(SinkState.FAILING);
    const paused = await sinks.update(accountId, id, { active: false });
    expect(paused).toMatchObject({ state: SinkState.PAUSED, leaveOut: ["context", "diff"] });
    expect(await rows()).toMatchObject([{ active: false, attempts: 3, due_at: Infinity }]);
    const active = await sinks.update(accountId, id, { active: true, format: SinkFormat.ECS });
    expect(active).toMatchObject({ state: SinkState.ACTIVE, format: SinkFormat.ECS });
    expect(active.filter).toEqual({ action: { values: ["user.*"] } });
    const [row] = await rows();
    expect(row).toMatchObject({ attempts: 0, failing_since: null, last_error: null });
    expect(row?.["due_at"]).toBeInstanceOf(Date);
    const all = await sinks.update(accountId, id, { filter: {}, leaveOut: { parts: [] } });
    expect(all.filter).toBeUndefined();
    expect(all.leaveOut).toEqual([]);
  });

  test("never of the type, and a mapping needs its format", async () => {
    const { accountId, rows, sinks } = await begin();
    const mapping = '{"user.*":{"class":"account_change"}}';
    const { id } = await sinks.create(accountId, { format: SinkFormat.OCSF, mapping });
    const before = await rows();
    const syslog = { config: '{"type":"syslog","host":"a.example.com","port":6514}' };
    await expect(sinks.update(accountId, id, syslog)).rejects.toMatchObject(
      fault("type", "must be http: a sink keeps its type"),
    );
    await expect(sinks.update(accountId, id, { format: SinkFormat.ANNALS })).rejects.toMatchObject(
      fault("mapping", "needs the format ocsf"),
    );
    expect(await rows()).toEqual(before);
    const changed = await sinks.update(accountId, id, { format: SinkFormat.ANNALS, mapping: "" });
    expect(changed.mapping).toBeUndefined();
  });

  test("never of another account's sink", async () => {
    const { accountId, rows, sinks } = await begin();
    const { id } = await sinks.create(accountId);
    const before = await rows();
    const other = newAccountId();
    const refused = { kind: "not_found", message: `No sink has the id "${id}".` };
    await expect(sinks.get(other, id)).rejects.toMatchObject(refused);
    await expect(sinks.update(other, id, { active: false })).rejects.toMatchObject(refused);
    await expect(sinks.replay(other, id, 1n)).rejects.toMatchObject(refused);
    await expect(sinks.status(other, id)).rejects.toMatchObject(refused);
    await expect(sinks.delete(other, id)).rejects.toMatchObject(refused);
    expect(await sinks.list(other)).toEqual([]);
    expect(await rows()).toEqual(before);
  });
});

describe("a replay", () => {
  test("sets the cursor back, and ends the claim of a batch in flight", async () => {
    const { accountId, database, entries, producers, rows, sinks } = await begin();
    producers.add(accountId, "events", 9);
    const { id } = await sinks.create(accountId);
    await database.query(
      `UPDATE webhooks.sinks SET fence = 5, leased_until = 'infinity', pending_to = 12, due_at = 'infinity',
       checkpoint_count = 4, receiver_state = 'kept'`,
    );
    await sinks.replay(accountId, id, 3n);
    const [row] = await rows();
    expect(row).toMatchObject({
      cursor: "2",
      replays: 1,
      pending_to: null,
      receiver_state: "kept",
      checkpoint_from: "3",
      checkpoint_count: "0",
      fence: "6",
      leased_until: null,
      due_at: expect.any(Date),
    });
    expect((await entries()).at(-1)).toMatchObject({
      action: "annals.sink.replayed",
      metadata: { from_sequence_number: "3" },
    });
  });

  test("forgets the event that was refused, which cannot be passed over until it is again", async () => {
    const { accountId, database, producers, sinks } = await begin();
    producers.add(accountId, "events", 9);
    const { id } = await sinks.create(accountId);
    const rejected = { sequence_number: 7, id: "evt_7", status: 400, reason: "no" };
    await database.query("UPDATE webhooks.sinks SET cursor = 6, refusals = $1", [
      JSON.stringify({ rejected }),
    ]);
    await sinks.replay(accountId, id, 3n);
    expect((await sinks.status(accountId, id)).rejected).toBeUndefined();
    await expect(sinks.skip(accountId, id, 7n)).rejects.toMatchObject(fault("sequence_number"));
    expect((await sinks.status(accountId, id)).cursor).toBe(2n);
  });

  test("begins within what the chain has", async () => {
    const { accountId, producers, sinks } = await begin();
    producers.add(accountId, "events", 9);
    producers.deletedThrough = 4n;
    const { id } = await sinks.create(accountId);
    const replay = (from: bigint) => sinks.replay(accountId, id, from);
    const field = "from_sequence_number";
    await expect(replay(0n)).rejects.toMatchObject(fault(field, "must be at least 1"));
    await expect(replay(4n)).rejects.toMatchObject(
      fault(field, "must be at least 5: retention has deleted the events before"),
    );
    await expect(replay(11n)).rejects.toMatchObject(
      fault(field, "must be at most 10, which is the number of the next event"),
    );
    expect(await replay(5n)).toEqual({});
    expect(await replay(10n)).toEqual({});
  });
});

test("the status says how far a sink is behind, and what was lost", async () => {
  const { accountId, database, producers, sinks } = await begin();
  const { id } = await sinks.create(accountId);
  expect(await sinks.status(accountId, id)).toMatchObject({
    cursor: 0n,
    head: 0n,
    lagEvents: 0n,
    lagSeconds: 0,
  });
  const created_at = new Date(systemClock().nowMicros() / 1_000 - 90_000).toISOString();
  producers.addEvents(accountId, { created_at }, { created_at: "2020-01-01T00:00:00.000000Z" });
  await database.query(
    `UPDATE webhooks.sinks SET attempts = 2, last_error = 'refused', lost = '[{"from":3,"to":4}]'`,
  );
  const status = await sinks.status(accountId, id);
  expect(status).toMatchObject({
    state: SinkState.FAILING,
    cursor: 0n,
    head: 2n,
    lagEvents: 2n,
    lastError: "refused",
    nextAttemptAt: expect.stringMatching(/^\d{4}-.{21}Z$/),
    lost: [{ fromSequenceNumber: 3n, toSequenceNumber: 4n }],
  });
  expect(status.lagSeconds).toBeGreaterThanOrEqual(90);
  expect(status.lagSeconds).toBeLessThan(190);
  await sinks.update(accountId, id, { active: false });
  const paused = await sinks.status(accountId, id);
  expect(paused.state).toBe(SinkState.PAUSED);
  expect(paused).not.toHaveProperty("nextAttemptAt");
});

test("of 12 concurrent requests as many succeed as the plan allows, and a deleted sink frees capacity", async () => {
  const { accountId, rows, sinks } = await begin();
  const made = await Promise.allSettled(
    Array.from({ length: 12 }, () => sinks.create(accountId, { maxSinks: 3 })),
  );
  const refused = made.filter((one) => one.status === "rejected");
  expect(refused).toHaveLength(9);
  for (const { reason } of refused) {
    expect(reason).toMatchObject({
      kind: "plan_count_exceeded",
      message: "The plan of this account allows 3 sinks.",
    });
  }
  await sinks.create(newAccountId(), { maxSinks: 1 });
  await sinks.delete(accountId, String((await rows())[0]?.["id"]));
  await sinks.create(accountId, { maxSinks: 3 });
});
