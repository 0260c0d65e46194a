// Guarantees: an erasure is confirmed only after the time for which a read event may still be sent. A stored
// body that names the erased value is never sent: its delivery ends, and the confirmation waits for a run
// that finds no such body.

import { createLog, createRegistry } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import { ListOpenErasuresResponseSchema, type OpenErasure } from "@annals/proto/ledger";
import { clearErasedCopies } from "@annals/rpc";
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { createMetrics } from "../../metrics.ts";
import { newAccountId, newService } from "../../testing/dispatcher.ts";
import { sinkHandlers } from "../../testing/sinks.ts";
import {
  erasedCopies,
  type ErasedCopiesDeps,
  SETTLED_S,
  SINKS_SETTLED_S,
} from "./erased-copies.ts";

const NEVER = new AbortController().signal;

async function begin(given: Partial<Pick<OpenErasure, "actorId" | "ageS" | "targetId">>) {
  const service = await newService({ retryDelaysS: [60] });
  const accountId = newAccountId();
  await service.handlers.create(accountId, { url: "https://r1.example.com/" });
  const confirmed: unknown[] = [];
  const open = { erasures: [{ accountId, id: "era_1", ageS: SETTLED_S, ...given }] };
  const fake = {
    confirmErasure: async (request: unknown) => void confirmed.push(request),
    listOpenErasures: async ({ afterId }: { readonly afterId: string }) =>
      create(ListOpenErasuresResponseSchema, afterId === "" ? open : {}),
  };
  const copies = erasedCopies({
    clock: systemClock(),
    database: service.database.pool(),
    ledger: fake as unknown as ErasedCopiesDeps["ledger"],
    log: createLog({ service: "test", level: "error" }),
    metrics: createMetrics(createRegistry("test")),
  });
  const bodies = () =>
    service.database.query<{ attempts: number; body: Buffer | null; due_at: unknown }>(
      "SELECT attempts, body, due_at FROM webhooks.deliveries ORDER BY number",
    );
  return { ...service, accountId, bodies, confirmed, pass: () => clearErasedCopies(copies, NEVER) };
}

test.each([
  [SETTLED_S - 0.001, 0],
  [SETTLED_S, 1],
])("after %d seconds there are %d confirmations", async (ageS, confirmations) => {
  const { accountId, confirmed, pass } = await begin({ ageS });
  await pass();
  const confirmation = { accountId, copy: 2, id: "era_1" };
  expect(confirmed).toEqual(Array.from({ length: confirmations }, () => confirmation));
});

test.each([
  [SINKS_SETTLED_S - 0.001, 0],
  [SINKS_SETTLED_S, 1],
])("with a sink, after %d seconds there are %d confirmations", async (ageS, confirmations) => {
  const { accountId, confirmed, database, pass } = await begin({ ageS });
  await database.query(
    `INSERT INTO webhooks.sinks (account_id, id, type, format, config_key_id, config_sealed, leave_out, include_proof,
       active, created_at, cursor, checkpoint_from)
     VALUES ($1, 'sink_1', 'http', 'annals', 'k', '', '{}', false, true, '', 0, 1)`,
    [accountId],
  );
  await pass();
  expect(confirmed).toHaveLength(confirmations);
});

test("the value is taken out of filters, which select no more by that, and only then it is confirmed", async () => {
  const { accountId, confirmed, database, handlers, pass } = await begin({ actorId: "ada" });
  const filter = (...values: string[]) => ({ filter: { actorId: { values } } });
  const { webhook: both } = await handlers.create(accountId, filter("ada", "bob"));
  const { webhook: alone } = await handlers.create(accountId, filter("ada"));
  const { webhook: other } = await handlers.create(accountId, filter("bob"));
  const { webhook: gone } = await handlers.create(accountId, filter("ada"));
  await handlers.delete(accountId, gone.id);
  await pass();
  expect(confirmed).toEqual([]);
  const shown = new Map((await handlers.list(accountId)).map(({ id, filter: own }) => [id, own]));
  expect(shown.get(both.id)).toEqual({ actorId: { values: ["bob"] } });
  expect(shown.get(alone.id)).toEqual({ actorId: { values: [] } });
  expect(shown.get(other.id)).toEqual({ actorId: { values: ["bob"] } });
  const rows = await database.query<{ whole: string }>(
    "SELECT webhooks::text AS whole FROM webhooks.webhooks",
  );
  expect(rows).toHaveLength(5);
  // With its quotation mark, because a sealed secret is a random text of hexadecimal digits.
  expect(rows.filter(({ whole }) => whole.includes('ada"'))).toEqual([]);
  const entries = await database.query(
    `SELECT event::json->'target'->>'id' AS id, event::json->'metadata'->>'erasure_id' AS erasure
     FROM webhooks.audit_outbox WHERE event::json->'actor'->>'type' = 'service' ORDER BY number`,
  );
  const changed = [both.id, alone.id].toSorted();
  expect(entries).toEqual(changed.map((id) => ({ id, erasure: "era_1" })));
  await pass();
  expect(confirmed).toHaveLength(1);
});

test("what would get more by that is stopped: a webhook is disabled, and a sink paused", async () => {
  const { accountId, database, handlers, pass } = await begin({ actorId: "ada" });
  const sinks = sinkHandlers(handlers);
  const tag = { name: "tag", path: ["context", "tag"], type: "string", values: ["ada", "b"] };
  const not = { not: { actorId: { values: ["ada", "bob"] } } };
  const filters = [not, { not: { fields: [tag] } }, { not: { action: { values: ["a"] } } }];
  const made = await Promise.all(
    filters.map(async (filter) => ({
      webhook: (await handlers.create(accountId, { filter })).webhook.id,
      sink: (await sinks.create(accountId, { filter })).id,
    })),
  );
  await pass();
  const webhooks = new Map((await handlers.list(accountId)).map((one) => [one.id, one]));
  const shown = await Promise.all(
    made.map(async ({ sink, webhook }) => [
      webhooks.get(webhook)?.active,
      webhooks.get(webhook)?.disabledReason,
      (await sinks.get(accountId, sink)).active,
    ]),
  );
  expect(shown).toEqual([
    [false, "erasure", false],
    [false, "erasure", false],
    [true, undefined, true],
  ]);
  const left = { not: { actorId: { values: ["bob"] } } };
  expect(webhooks.get(made[0]?.webhook ?? "")?.filter).toEqual(left);
  const rows = await database.query<{ whole: string }>(
    `SELECT webhooks::text AS whole FROM webhooks.webhooks UNION ALL SELECT sinks::text FROM webhooks.sinks`,
  );
  expect(rows.filter(({ whole }) => whole.includes('ada"'))).toEqual([]);
});

test("the value is taken out of the filters of sinks, too", async () => {
  const { accountId, confirmed, database, handlers, pass } = await begin({
    ageS: SINKS_SETTLED_S,
    targetId: "inv_1",
  });
  const sinks = sinkHandlers(handlers);
  const filter = (...values: string[]) => ({ filter: { targetId: { values } } });
  const both = await sinks.create(accountId, filter("inv_1", "inv_2"));
  const alone = await sinks.create(accountId, filter("inv_1"));
  const other = await sinks.create(accountId, filter("inv_2"));
  await pass();
  expect(confirmed).toEqual([]);
  const valuesOf = async (id: string) => (await sinks.get(accountId, id)).filter?.targetId?.values;
  expect(await valuesOf(both.id)).toEqual(["inv_2"]);
  expect(await valuesOf(alone.id)).toEqual([]);
  expect(await valuesOf(other.id)).toEqual(["inv_2"]);
  const entries = await database.query<{ id: string }>(
    `SELECT event::json->'target'->>'id' AS id FROM webhooks.audit_outbox
     WHERE event::json->>'action' = 'annals.sink.updated' ORDER BY number`,
  );
  expect(entries.map(({ id }) => id)).toEqual([both.id, alone.id].toSorted());
  await pass();
  expect(confirmed).toHaveLength(1);
});

test("a body that names the value is not sent, and the others are", async () => {
  const { accountId, bodies, confirmed, database, pass, replica } = await begin({ actorId: "ada" });
  const a = replica();
  a.sender.answer = () => 200;
  await a.produce(accountId, 3, "exports");
  const name = (place: number, filter: object) =>
    database.query(
      `UPDATE webhooks.deliveries SET body = convert_to($2, 'UTF8')
       WHERE number = (SELECT number FROM webhooks.deliveries ORDER BY number OFFSET $1 LIMIT 1)`,
      [place, JSON.stringify({ id: "d", event: "export.completed", data: { filter } })],
    );
  await name(0, { actor_id: ["bob", "ada"] });
  await name(1, { actor_id: "bob" });
  await name(2, { target_id: "ada" });
  await pass();
  expect(confirmed).toEqual([]);
  expect(await bodies()).toMatchObject([
    { attempts: 1, body: null, due_at: null },
    { attempts: 0, body: expect.any(Buffer) },
    { attempts: 0, body: expect.any(Buffer) },
  ]);
  await pass();
  expect(confirmed).toHaveLength(1);
  await a.engine.round();
  await a.engine.settled();
  const sent = a.sender.attempts.map(({ body }) => JSON.parse(String(body)).data.filter);
  expect(sent).toEqual([{ actor_id: "bob" }, { target_id: "ada" }]);
});
