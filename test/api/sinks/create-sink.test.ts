// POST /v1/sinks makes a sink, which begins where the client said (docs/interface.md). Its secrets are in no
// response, and in no table in plain.

import { HttpClient, newAccount, newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { BAD_FILTERS, GOOD_FILTERS } from "../../system/bad-bodies.ts";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { BAD_CONFIGS, BAD_MEMBERS, SECRET, SINK, SINKS, storedOf } from "./sink-bodies.ts";

const { baseUrl, databaseUrl } = inject("stack");

/** An account of its own: it may have ten sinks. */
async function begin() {
  const { accountId, key } = await newAccount(databaseUrl);
  const client = new HttpClient(baseUrl, key);
  return {
    accountId,
    client,
    create: (given: object = {}) => client.post("/v1/sinks", { ...SINK, active: false, ...given }),
  };
}

const MEMBERS =
  "id type format leave_out include_proof config on_rejected active status created_at";

describe("201", () => {
  test.each(SINKS)("$type, without its secrets", async ({ shown, ...given }) => {
    const { accountId, client } = await begin();
    const { status, headers, body, text } = await client.post("/v1/sinks", given);
    expect(status, text).toBe(201);
    expectLimitShown(headers);
    expect(Object.keys(body)).toEqual(["data"]);
    expect(Object.keys(body.data)).toEqual(MEMBERS.split(" "));
    expect(body.data).toMatchObject({
      type: given.type,
      format: "annals",
      leave_out: [],
      include_proof: false,
      on_rejected: "stop",
      active: true,
      status: "active",
    });
    expect(body.data.config).toEqual(shown);
    expect(body.data.id).toMatch(/^sink_[0-9a-z]{26}$/);
    expect(body.data.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(text).not.toContain(SECRET);
    expect(await storedOf(databaseUrl, accountId)).not.toContain(SECRET);
  });

  test("with every member, each value once", async () => {
    const { create } = await begin();
    const mapping = { "user.*": { class: "account_change", activity: "Create" } };
    const given = { format: "ocsf", mapping, include_proof: true, on_rejected: "skip" };
    const { body } = await create({ ...given, leave_out: ["metadata", "diff", "metadata"] });
    expect(body.data).toMatchObject({
      ...given,
      leave_out: ["diff", "metadata"],
      status: "paused",
    });
  });

  test("the least that a configuration needs", async () => {
    const { create } = await begin();
    const url = "https://siem.annals.invalid/";
    const http = await create({ config: { url } });
    expect(http.body.data.config).toEqual({ url, headers: {}, body: "jsonl", compress: false });
    const splunk = await create({ type: "splunk_hec", config: { url, token: SECRET } });
    expect(splunk.body.data.config).toEqual({ url, ack: false });
    const { access_key_id, secret_access_key } = SINKS[4].config.credentials;
    const credentials = { access_key_id, secret_access_key };
    const s3 = { bucket: "acme", region: "auto", credentials };
    const bucket = await create({ type: "s3", config: s3 });
    const shown = { bucket: "acme", prefix: "", region: "auto", credentials: { access_key_id } };
    expect(bucket.body.data.config).toEqual(shown);
  });

  test.each(GOOD_FILTERS)("the filter %j is shown, with each value once", async (filter, shown) => {
    const { create } = await begin();
    const { status, body } = await create({ filter });
    expect([status, body.data?.filter]).toEqual([201, shown]);
  });

  test.each([
    [undefined, 3],
    ["now", 3],
    ["start", 0],
    [1, 0],
    [3, 2],
    [4, 3],
  ])("from %j it begins after event %d", async (from, cursor) => {
    const { client, create } = await begin();
    const events = Array.from({ length: 3 }, () => ({ action: "a" }));
    await client.post("/v1/events/batch", { events });
    const { body } = await create(from === undefined ? {} : { from });
    const status = await client.get(`/v1/sinks/${body.data.id}/status`);
    expect(status.body.data).toMatchObject({ cursor, head: 3, lag_events: 3 - cursor });
  });
});

test("403: without a plan an account has 10 sinks at most", async () => {
  const { client, create } = await begin();
  for (let n = 0; n < 10; n += 1) expect((await create()).status).toBe(201);
  const message = "The plan of this account allows 10 sinks.";
  expectRefused(await create(), "plan_limit_exceeded", { message });
  const [first] = (await client.get("/v1/sinks")).body.data;
  await client.delete(`/v1/sinks/${first.id}`);
  expect((await create()).status).toBe(201);
});

describe("422", async () => {
  const { client } = await newClient(inject("stack"));
  const create = (given: object) => client.post("/v1/sinks", given);

  test.each(BAD_CONFIGS)("%j %j names %s", async (type, config, field) => {
    const answer = await create({ type, config });
    expectRefused(answer, "validation_error", { field });
    expect(answer.text).not.toContain(SECRET);
  });

  test.each([
    [{}, "type"],
    [{ type: "http" }, "config"],
    [{ config: SINK.config }, "type"],
    [[], "body"],
    [{ ...SINK, from: 0 }, "from"],
    [{ ...SINK, from: "end" }, "from"],
    [{ ...SINK, from: 1.5 }, "from"],
    [{ ...SINK, from: null }, "from"],
    [{ ...SINK, from: 2 }, "from"],
    [{ ...SINK, from: Number.MAX_SAFE_INTEGER }, "from"],
  ])("%j names %s", async (given, field) => {
    expectRefused(await create(given), "validation_error", { field });
  });

  test.each(BAD_MEMBERS)("%j names %s", async (given, field) => {
    expectRefused(await create({ ...SINK, ...given }), "validation_error", { field });
  });

  test.each(BAD_FILTERS)("the filter %j names %s", async (filter, field) => {
    expectRefused(await create({ ...SINK, filter }), "validation_error", { field });
  });

  test("and nothing was made", async () => {
    expect((await client.get("/v1/sinks")).body.data).toEqual([]);
  });
});
