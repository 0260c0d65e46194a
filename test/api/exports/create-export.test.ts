// POST /v1/exports fixes a range of the caller's chain at that moment and queues the writing of its
// file; what it was asked for is shown as it was sent (interface 8, docs/exports.md).

import { ownerOf } from "@annals/testing";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { insertJobs } from "./export-rows.ts";
import { ended, exported, newExporter } from "../../system/exports-client.ts";

const stack = inject("stack");
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const exporter = await newExporter(stack, [
  { action: "user.login", actor: { id: "u_1", type: "user" } },
  { action: "user.logout", actor: { id: "u_2", type: "user" } },
  { action: "doc.read", target: { id: "d_1", type: "doc" }, occurred_at: "2020-01-01T00:00:00Z" },
]);
const { client } = exporter;
const owner = ownerOf(stack.databaseUrl);

afterAll(() => owner.close());

const sequenceNumbers = (text: string) =>
  text
    .split("\n")
    .slice(0, -2)
    .map((line) => JSON.parse(line).sequence_number);

describe("201", () => {
  test("all members, null where they come with the file", async () => {
    const filter = { action: "user.*", after_sequence: 0 };
    const { status, body } = await client.post("/v1/exports", { format: "csv", filter });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(["data"]);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^exp_[0-9a-z]{26}$/),
      status: expect.stringMatching(/^(?:pending|running)$/),
      format: "csv",
      filter,
      event_count: null,
      sha256: null,
      size_bytes: null,
      created_at: expect.stringMatching(TIME),
      completed_at: null,
    });
    expect(await ended(client, body.data.id)).toMatchObject({ event_count: 2, format: "csv" });
  });

  test("nothing asked: JSON Lines of the whole chain", async () => {
    const { data, content } = await exported(client, {});
    expect(data).toMatchObject({ format: "jsonl", filter: {}, event_count: 3 });
    expect(sequenceNumbers(content.text)).toEqual([1, 2, 3]);
  });

  test.each([
    [{ action: "user.login" }, [1]],
    [{ action: "user.*" }, [1, 2]],
    [{ actor_id: "u_2" }, [2]],
    [{ actor_type: "user" }, [1, 2]],
    [{ target_id: "d_1" }, [3]],
    [{ target_type: "doc" }, [3]],
    [{ occurred_to: "2020-01-02T00:00:00+01:00" }, [3]],
    [{ occurred_from: "2021-01-01T00:00:00Z", before_sequence: 2 }, [1]],
    [{ actor_id: ["u_2", "none"], action: ["user.*", "none"] }, [2]],
    [{ action: ["user.login", "user.login"] }, [1]],
    [{ target_id: ["d_1"] }, [3]],
    [{ received_from: "2021-01-01T00:00:00Z", target_type: ["doc", "none"] }, [3]],
    [{ received_to: "2021-01-01T00:00:00Z" }, []],
    [{ after_sequence: 1 }, [2, 3]],
    [{ after_sequence: 1, before_sequence: 3 }, [2]],
    [{ before_sequence: 9_007_199_254_740_991 }, [1, 2, 3]],
    [{ action: "none" }, []],
  ])("the filter %j", async (filter, expected) => {
    const { data, content } = await exported(client, { filter });
    expect(data).toMatchObject({ filter, event_count: expected.length });
    expect(sequenceNumbers(content.text)).toEqual(expected);
  });

  test("an empty chain", async () => {
    const { client: empty } = await newExporter(stack, []);
    const { data, content } = await exported(empty, { include_proofs: true });
    expect(data).toMatchObject({ event_count: 0 });
    expect(JSON.parse(content.text)).toMatchObject({ manifest: { event_count: 0, first: null } });
  });

  test("an equal one is answered with the export that is there, running or completed, until it is deleted", async () => {
    const { account, client: own } = await newExporter(stack, [{ action: "a" }]);
    const asked = { filter: { action: "a" }, include_proofs: true };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => own.post("/v1/exports", asked)),
    );
    const [{ id }] = answers.map(({ body }) => body.data) as [{ id: string }];
    expect(answers.map(({ body, status }) => [status, body.data.id])).toEqual(
      answers.map(() => [201, id]),
    );
    const data = await ended(own, id);
    expect((await own.post("/v1/exports", asked)).body.data).toEqual(data);
    // One was made, and recorded.
    const made = "SELECT 1 FROM exports.jobs WHERE account_id = $1";
    expect(await owner.query(made, [account.accountId])).toHaveLength(1);
    const idOf = async (body: object, by = own) =>
      (await by.post("/v1/exports", body)).body.data.id;
    const unequal = [{ ...asked, format: "csv" }, { ...asked, include_proofs: false }, {}];
    const ids = [id, ...(await Promise.all(unequal.map((body) => idOf(body))))];
    expect(new Set(ids).size).toBe(4);
    expect(await idOf(asked, (await newExporter(stack, [{ action: "a" }])).client)).not.toBe(id);
    await own.post("/v1/events", { action: "a" });
    const later = await idOf(asked);
    expect(ids).not.toContain(later);
    await own.delete(`/v1/exports/${later}`);
    expect(await idOf(asked)).not.toBe(later);
  });

  test("what is appended after the answer is not in the file", async () => {
    const { client: own } = await newExporter(stack, [{ action: "before" }]);
    for (let round = 0; round < 10; round += 1) {
      const made = await own.post("/v1/exports", {});
      await own.post("/v1/events", { action: "after" });
      const data = await ended(own, made.body.data.id);
      expect(data.event_count).toBe(round + 1);
    }
  });
});

/** No two are equal. */
const other = (n: number) => ({ filter: { before_sequence: 1_000 + n } });
const names = (count: number) => Array.from({ length: count }, (_, at) => `exp_${at}`);

describe("403", () => {
  test("as many exports as an account may have, counted exactly; one less, and there is room", async () => {
    const { account, client: own } = await newExporter(stack, []);
    const { accountId } = account;
    await insertJobs(owner, { accountId, status: "failed", ids: names(999) });
    const asked = await Promise.all(names(60).map((_, n) => own.post("/v1/exports", other(n))));
    expect(asked.map(({ status }) => String(status)).toSorted()).toEqual([
      "201",
      ...names(59).map(() => "403"),
    ]);
    for (const refused of asked.filter(({ status }) => status !== 201))
      expectRefused(refused, "plan_limit_exceeded", { message: /1000 exports/ });
    await own.delete("/v1/exports/exp_0");
    expect((await own.post("/v1/exports", other(60))).status).toBe(201);
  });
});

describe("429", () => {
  test("as many exports that are not finished as an account may have; others are not concerned", async () => {
    const { account, client: own } = await newExporter(stack, []);
    const { accountId } = account;
    await insertJobs(owner, { accountId, status: "pending", ids: names(10) });
    const refused = await own.post("/v1/exports", {});
    expectRefused(refused, "rate_limit_exceeded", { message: /10 unfinished exports/ });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await client.post("/v1/exports", {})).status).toBe(201);
    await own.delete("/v1/exports/exp_0");
    expect((await own.post("/v1/exports", {})).status).toBe(201);
  });
});

describe("422", () => {
  test.each([
    ["an unknown format", { format: "xml" }, "format"],
    ["a format that is no text", { format: 1 }, "format"],
    ["an unknown member", { formats: "csv" }, "formats"],
    ["proofs that are no boolean", { include_proofs: "true" }, "include_proofs"],
    ["a filter that is no object", { filter: [] }, "filter"],
    ["an unknown filter", { filter: { actor: "u_1" } }, "filter.actor"],
    ["a filter that is no text", { filter: { action: 1 } }, "filter.action"],
    ["a value that is no text", { filter: { action: ["a", 1] } }, "filter.action[1]"],
    ["no value", { filter: { actor_id: [] } }, "filter.actor_id"],
    ["eleven values", { filter: { target_id: Array(11).fill("a") } }, "filter.target_id"],
    [
      "21 values in all filters",
      { filter: { action: "a", actor_id: Array(10).fill("a"), target_id: Array(10).fill("a") } },
      "filter.target_id",
    ],
    ["an empty filter", { filter: { actor_id: "" } }, "filter.actor_id"],
    ["a time that is none", { filter: { occurred_from: "now" } }, "filter.occurred_from"],
    [
      "a date that does not exist",
      { filter: { occurred_to: "2026-02-30T00:00:00Z" } },
      "filter.occurred_to",
    ],
    ["a number that is a text", { filter: { after_sequence: "1" } }, "filter.after_sequence"],
    ["a negative number", { filter: { before_sequence: -1 } }, "filter.before_sequence"],
  ])("%s", async (_, body, field) => {
    expectRefused(await client.post("/v1/exports", body), "validation_error", { field });
  });
});
